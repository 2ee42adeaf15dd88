#include <osteon/morphometry/local_thickness.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/morphometry/distance_map.hpp>

namespace osteon::morphometry {

namespace {

struct ball {
  float squared;
  std::int32_t z, y, x;  // position relative to the first present voxel
};

// Edges of a voxel divided by the edge along x.
vector3 relative(const vector3& spacing) { return {spacing.z / spacing.x, spacing.y / spacing.x, 1}; }

// Radius with which a ball of a neighbouring voxel contains all voxels of a ball.
class required_radius {
 public:
  /// @param largest largest squared radius
  required_radius(const vector3& edge, float largest) : edge_(edge) {
    for (int k = 0; k < 27; ++k) {
      double square = 0;
      const int step[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
      for (int a = 0; a < 3; ++a) square += step[a] * step[a] * edge[a] * edge[a];
      way_[k] = std::sqrt(square);
    }
    if (edge.z == 1 && edge.y == 1) make_table(std::min(static_cast<std::int64_t>(largest) + 1, most_in_table));
  }
  /// @param neighbour number of the neighbour from 0 to 26, in the order z, y, x
  float squared(float ball, int neighbour) const {
    const auto n = static_cast<std::size_t>(ball);
    if (n < table_[0].size()) return static_cast<float>(table_[kind_of(neighbour)][n]);
    const double r = std::sqrt(static_cast<double>(ball)) + way_[neighbour];
    return static_cast<float>(r * r * (1 - 1e-7));
  }

 private:
  static constexpr std::int64_t most_in_table = 4096;
  static std::size_t kind_of(int k) {
    return static_cast<std::size_t>(std::abs(k / 9 - 1) + std::abs(k / 3 % 3 - 1) + std::abs(k % 3 - 1) - 1);
  }

  // For cubic voxels, squared distances are integers. The required squared radius is 1 plus the largest squared distance
  // between the neighbour and the voxels of the ball. By symmetry, tables are needed for only three neighbours: those on the
  // negative side of x, of x and y, and of all axes. @cite [DoughertyKunzelmann2007]
  void make_table(std::int64_t size) {
    for (auto& t : table_) t.assign(static_cast<std::size_t>(size), 0);
    for (std::int64_t z = 0; z * z < size; ++z)
      for (std::int64_t y = z; y * y + z * z < size; ++y)
        for (std::int64_t x = y; x * x + y * y + z * z < size; ++x) {
          const std::int64_t square = x * x + y * y + z * z;
          if (square + 1 >= size) continue;
          const std::int64_t from[3] = {square + 2 * x + 1, square + 2 * (x + y) + 2, square + 2 * (x + y + z) + 3};
          for (std::size_t kind = 0; kind < 3; ++kind) {
            std::int32_t& most = table_[kind][static_cast<std::size_t>(square + 1)];
            most = std::max(most, static_cast<std::int32_t>(from[kind] + 1));
          }
        }
    for (auto& t : table_)
      for (std::size_t i = 1; i < t.size(); ++i) t[i] = std::max(t[i], t[i - 1]);
  }

  vector3 edge_;
  double way_[27] = {};
  std::array<std::vector<std::int32_t>, 3> table_;
};

// True if a larger ball of a neighbour contains all voxels of this ball.
bool is_covered_by_neighbour(const grid::ghosted_field<float>& squared, const required_radius& required, index3 at) {
  const index3 shape = squared.present.shape();
  const auto here = (at.z * shape.y + at.y) * shape.x + at.x;
  const float own = squared.values[static_cast<std::size_t>(here)];
  for (int k = 0; k < 27; ++k) {
    if (k == 13) continue;
    const index3 step{k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
    const index3 there = at + step;
    if (there.z < 0 || there.z >= shape.z || there.y < 0 || there.y >= shape.y || there.x < 0 || there.x >= shape.x)
      continue;
    const float other = squared.values[static_cast<std::size_t>(here + (step.z * shape.y + step.y) * shape.x + step.x)];
    if (other > own && other >= required.squared(own, k)) return true;
  }
  return false;
}

// Required balls in descending order of radius. At the ends of the local data, some neighbours are unknown. The list may
// therefore contain additional balls, which do not change the result.
std::vector<ball> balls_of(const grid::ghosted_field<float>& squared, const required_radius& required) {
  const index3 shape = squared.present.shape();
  std::vector<std::vector<ball>> found(static_cast<std::size_t>(shape.z));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) {
        const float s = squared.values[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)];
        if (s > 0 && !is_covered_by_neighbour(squared, required, {z, y, x}))
          found[static_cast<std::size_t>(z)].push_back(
              {s, static_cast<std::int32_t>(z), static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)});
      }
  std::vector<ball> all;
  for (std::vector<ball>& plane : found) {
    all.insert(all.end(), plane.begin(), plane.end());
    plane = {};
  }
  std::stable_sort(all.begin(), all.end(), [](const ball& a, const ball& b) { return a.squared > b.squared; });
  return all;
}

// Rows of a block that fit into a cache.
struct tile {
  std::int64_t z, y, planes, rows;
};

constexpr std::int64_t tile_planes = 16, tile_rows = 32;

// Draws balls into a tile. For each position in a row, the tile stores the next voxel of the phase that no ball has covered.
class covering {
 public:
  /// @param radii radii in the block; 0 in voxels that no ball has covered @param squared values that are non-zero in the
  /// phase
  covering(const tile& t, index3 block, const float* squared, float* radii) : tile_(t), block_(block), radii_(radii) {
    next_.resize(static_cast<std::size_t>(t.planes * t.rows * (block.x + 1)));
    for (std::int64_t row = 0; row < t.planes * t.rows; ++row) {
      std::int32_t* next = next_.data() + row * (block.x + 1);
      const float* from = squared + row_of(row / t.rows, row % t.rows);
      for (std::int64_t x = 0; x <= block.x; ++x)
        next[x] = static_cast<std::int32_t>(x == block.x || from[x] > 0 ? x : x + 1);
    }
  }

  /// @param centre centre of the ball relative to the first voxel of the block
  void draw(float squared, index3 centre, const vector3& edge) {
    const auto r2 = static_cast<double>(squared);
    const double r = std::sqrt(r2);
    const auto reach_z = static_cast<std::int64_t>(r / edge.z), reach_y = static_cast<std::int64_t>(r / edge.y);
    const std::int64_t cz = centre.z - tile_.z, cy = centre.y - tile_.y;
    for (std::int64_t z = std::max<std::int64_t>(0, cz - reach_z); z <= std::min(tile_.planes - 1, cz + reach_z); ++z) {
      const double dz = edge.z * static_cast<double>(z - cz), left_z = r2 - dz * dz;
      for (std::int64_t y = std::max<std::int64_t>(0, cy - reach_y); y <= std::min(tile_.rows - 1, cy + reach_y); ++y) {
        const double dy = edge.y * static_cast<double>(y - cy), left = left_z - dy * dy;
        if (left <= 0) continue;
        auto half = static_cast<std::int64_t>(std::sqrt(left));
        if (static_cast<double>(half * half) >= left) --half;  // the ball is an open set
        cover(z, y, std::max<std::int64_t>(0, centre.x - half), std::min(block_.x - 1, centre.x + half), squared);
      }
    }
  }

 private:
  std::int64_t row_of(std::int64_t z, std::int64_t y) const { return ((tile_.z + z) * block_.y + tile_.y + y) * block_.x; }
  static std::int32_t find(std::int32_t* next, std::int32_t x) {
    std::int32_t end = x;
    while (next[end] != end) end = next[end];
    while (next[x] != end && x != end) {  // with this update, the next search is shorter
      const std::int32_t after = next[x];
      next[x] = end;
      x = after;
    }
    return end;
  }
  void cover(std::int64_t z, std::int64_t y, std::int64_t first, std::int64_t last, float squared) {
    if (first > last) return;
    std::int32_t* next = next_.data() + (z * tile_.rows + y) * (block_.x + 1);
    float* to = radii_ + row_of(z, y);
    for (std::int32_t x = find(next, static_cast<std::int32_t>(first)); x <= last; x = find(next, x)) {
      to[x] = squared;
      next[x] = x + 1;
    }
  }

  tile tile_;
  index3 block_;
  float* radii_;
  std::vector<std::int32_t> next_;
};

// The balls that intersect each tile, in descending order of radius.
class balls_by_tiles {
 public:
  balls_by_tiles(index3 block, const std::vector<ball>& balls, index3 first, const vector3& edge) : block_(block) {
    count_ = {(block.z + tile_planes - 1) / tile_planes, (block.y + tile_rows - 1) / tile_rows, 1};
    lists_.resize(static_cast<std::size_t>(count_.z * count_.y));
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const double r = std::sqrt(static_cast<double>(balls[i].squared));
      const auto reach_z = static_cast<std::int64_t>(r / edge.z), reach_y = static_cast<std::int64_t>(r / edge.y);
      const std::int64_t z = balls[i].z - first.z, y = balls[i].y - first.y;
      if (z + reach_z < 0 || z - reach_z >= block.z || y + reach_y < 0 || y - reach_y >= block.y) continue;
      for (std::int64_t a = std::max<std::int64_t>(0, z - reach_z) / tile_planes;
           a <= std::min(block.z - 1, z + reach_z) / tile_planes; ++a)
        for (std::int64_t b = std::max<std::int64_t>(0, y - reach_y) / tile_rows;
             b <= std::min(block.y - 1, y + reach_y) / tile_rows; ++b)
          lists_[static_cast<std::size_t>(a * count_.y + b)].push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::int64_t size() const { return std::ssize(lists_); }
  tile tile_of(std::int64_t n) const {
    const std::int64_t z = n / count_.y * tile_planes, y = n % count_.y * tile_rows;
    return {z, y, std::min(tile_planes, block_.z - z), std::min(tile_rows, block_.y - y)};
  }
  const std::vector<std::uint32_t>& balls_of(std::int64_t n) const { return lists_[static_cast<std::size_t>(n)]; }

 private:
  index3 block_, count_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace

std::vector<float> local_thickness(const grid::block& where, const std::vector<float>& squared, const vector3& spacing) {
  const vector3 edge = relative(spacing);
  float largest = 0;
  for (const float s : squared)
    if (s < beyond) largest = std::max(largest, s);
  comm::all_reduce(where.comm, &largest, 1, MPI_MAX);
  const int depth = static_cast<int>(std::sqrt(static_cast<double>(largest)) / std::min({edge.z, edge.y, edge.x})) + 1;
  grid::ghosted_field<float> around = grid::with_ghost_cells(where, squared, depth);
  std::vector<float> radii;
  comm::collectively(where.comm, [&] {
    const std::vector<ball> balls = balls_of(around, required_radius(edge, largest));
    const index3 shape = where.owned.shape(), first = where.owned.begin - around.present.begin;
    around = {};
    radii.assign(squared.size(), 0.0F);
    const balls_by_tiles tiles(shape, balls, first, edge);
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t n = 0; n < tiles.size(); ++n) {
      covering rows(tiles.tile_of(n), shape, squared.data(), radii.data());
      for (const std::uint32_t i : tiles.balls_of(n)) {
        const ball& b = balls[i];
        rows.draw(b.squared, index3{b.z, b.y, b.x} - first, edge);
      }
    }
  });
  return radii;
}

thickness_statistics statistics_of(const grid::block& where, const std::vector<float>& squared_radii,
                                   const vector3& spacing_mm) {
  std::vector<std::int64_t> counted;  // pairs of a radius (as bits) and the number of voxels with this radius
  comm::collectively(where.comm, [&] {
    std::map<float, std::int64_t> counts;
    for (const float s : squared_radii)
      if (s > 0 && s < beyond) ++counts[s];
    for (const auto& [s, n] : counts) {
      std::int32_t bits = 0;
      std::memcpy(&bits, &s, sizeof s);
      counted.insert(counted.end(), {bits, n});
    }
  });
  const int ranks = comm::size(where.comm), own = static_cast<int>(counted.size());
  const bool root = comm::rank(where.comm) == 0;
  std::vector<int> sizes, first;
  std::vector<std::int64_t> all;
  comm::collectively(where.comm, [&] {
    if (root) sizes.resize(static_cast<std::size_t>(ranks));
  });
  MPI_Gather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, where.comm);
  comm::collectively(where.comm, [&] {
    if (!root) return;
    for (const int n : sizes) {
      first.push_back(static_cast<int>(all.size()));
      all.resize(all.size() + static_cast<std::size_t>(n));
    }
  });
  MPI_Gatherv(counted.data(), own, MPI_INT64_T, all.data(), sizes.data(), first.data(), MPI_INT64_T, 0, where.comm);
  thickness_statistics s;
  comm::collectively(where.comm, [&] {
    if (!root) return;
    std::map<float, std::int64_t> counts;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const auto bits = static_cast<std::int32_t>(all[i]);
      float squared = 0;
      std::memcpy(&squared, &bits, sizeof squared);
      counts[squared] += all[i + 1];
      s.voxels += all[i + 1];
    }
    const auto thickness = [&](float squared) { return 2 * spacing_mm.x * std::sqrt(static_cast<double>(squared)); };
    const auto all_voxels = static_cast<double>(s.voxels);
    double sum = 0, square = 0;
    for (const auto& [r, n] : counts) sum += static_cast<double>(n) * thickness(r);
    s.mean = s.voxels > 0 ? sum / all_voxels : 0;
    std::int64_t below = 0;
    for (const auto& [r, n] : counts) {
      const double t = thickness(r);
      square += static_cast<double>(n) * (t - s.mean) * (t - s.mean);
      for (const auto& [share, at] : {std::pair{0.1, &s.p10}, {0.5, &s.median}, {0.9, &s.p90}})
        if (static_cast<double>(below) < share * all_voxels && static_cast<double>(below + n) >= share * all_voxels) *at = t;
      below += n;
      s.max = t;
    }
    s.deviation = s.voxels > 0 ? std::sqrt(square / all_voxels) : 0;
  });
  MPI_Bcast(&s.voxels, 1, MPI_INT64_T, 0, where.comm);
  double numbers[6] = {s.mean, s.deviation, s.p10, s.median, s.p90, s.max};
  MPI_Bcast(numbers, 6, MPI_DOUBLE, 0, where.comm);
  return {s.voxels, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
}

}  // namespace osteon::morphometry
