#include <osteon/base/at.hpp>
#include <osteon/numerics/multigrid/aggregation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/numerics/multigrid/aggregate_forest.hpp>
#include <osteon/numerics/multigrid/coarse_rows.hpp>
#include <unordered_map>

namespace osteon::numerics {

namespace {

using place = level_geometry::place;
using point = level_geometry::point;
using wall = level_geometry::wall;

place coarsened(place p, const std::array<int, 3>& shift) { return {p.z >> shift[0], p.y >> shift[1], p.x >> shift[2]}; }

// Aggregate of each fine point, and coarse block of each aggregate.
struct aggregates {
  std::vector<std::int32_t> parent;
  std::vector<place> places;
};

// Aggregates of the points of a coarse level.
aggregates split_points(const coarse_level& fine, const level_geometry& geometry, const std::array<int, 3>& step) {
  const kernel::sparse_rows& k = fine.matrix;
  const std::vector<place>& places = geometry.places;
  const std::int32_t owned = k.rows();
  std::vector<float> diagonal(k.diagonal);
  // Subtract the heat storage from the diagonal, because the storage would weaken the apparent coupling of two points.
  for (std::size_t i = 0; i < geometry.storage.size(); ++i) diagonal[i] -= geometry.storage[i];
  diagonal.resize(at(owned + fine.ghosts));
  fine.links.exchange(diagonal.data());
  aggregate_forest forest(owned);
  for (std::int32_t i = 0; i < owned; ++i)
    for (std::int32_t e = k.begin[at(i)]; e < k.begin[at(i) + 1]; ++e) {
      const std::int32_t j = k.column[at(e)];
      const bool strong = is_strong(k.conductance[at(e)], diagonal[at(i)], diagonal[at(j)]);
      if (strong) forest.mark_strong(i);
      if (j < i && coarsened(places[at(i)], step) == coarsened(places[at(j)], step))
        forest.join(i, j, k.conductance[at(e)], strong);
    }
  aggregates result;
  result.parent = forest.number([&](std::int32_t i) { result.places.push_back(coarsened(places[at(i)], step)); });
  return result;
}

// The voxel of the image at the beginning of the block.
place origin_of(const heat_cells& c) {
  const index3 begin = c.where.owned.begin;
  return {static_cast<std::int32_t>(begin.z), static_cast<std::int32_t>(begin.y), static_cast<std::int32_t>(begin.x)};
}

// First planes of the slabs of cells, and the end of the last slab. Every block is in one slab; threads can therefore
// process slabs independently.
std::vector<std::int64_t> slabs_of(const heat_cells& c, const std::array<int, 3>& shift) {
  std::vector<std::int64_t> begin;
  const std::int32_t origin = origin_of(c).z;
  for (std::int32_t z = 0; z < c.cells.shape.z; ++z)
    if (z == 0 || (origin + z) >> shift[0] != (origin + z - 1) >> shift[0]) begin.push_back(z);
  begin.push_back(c.cells.shape.z);
  return begin;
}
template <class Each>
void for_each_slab(const std::vector<std::int64_t>& slabs, Each each) {
  for_each_block(std::ssize(slabs) - 1, 1,
                 [&](std::int64_t n, std::int64_t) { each(at(n), slabs[at(n)], slabs[at(n) + 1]); });
}

// Aggregates of the cells. The function computes the positions of the cells from the runs.
aggregates split_cells(const heat_cells& c, const std::array<int, 3>& shift, const std::vector<std::int64_t>& slabs) {
  const auto stencil = c.stencil<float>();
  std::vector<float> diagonal(at(c.size));
  for_each_slab(slabs, [&](std::size_t, std::int64_t begin, std::int64_t end) {
    kernel::visit_faces(stencil, c.part(begin, end),
                        [&](std::int32_t i, std::int32_t, int, bool, float g) { diagonal[at(i)] += g; });
  });
  c.links.exchange(diagonal.data());
  aggregate_forest forest(c.owned, slabs.size() - 1);
  const auto join = [&](std::int32_t i, std::int32_t j, std::size_t axis, std::size_t slab) {
    const float g = stencil.face[axis] / (stencil.resistivity[c.material[at(i)]] + stencil.resistivity[c.material[at(j)]]);
    forest.join(i, j, g, is_strong(g, diagonal[at(i)], diagonal[at(j)]), slab);
  };
  const auto join_rows = [&](std::span<const voxel::run> a, std::span<const voxel::run> b, std::size_t axis,
                             std::size_t slab) {
    for (auto p = a.begin(), q = b.begin(); p != a.end() && q != b.end();) {
      const std::int32_t end = std::min(p->x + p->length, q->x + q->length);
      for (std::int32_t x = std::max(p->x, q->x); x < end; ++x)
        join(p->first + (x - p->x), q->first + (x - q->x), axis, slab);
      if (p->x + p->length == end)
        ++p;
      else
        ++q;
    }
  };
  const index3 shape = c.cells.shape;
  const place origin = origin_of(c);
  for_each_slab(slabs, [&](std::size_t slab, std::int64_t begin, std::int64_t end) {
    kernel::visit_faces(stencil, c.part(begin, end), [&](std::int32_t i, std::int32_t j, int, bool, float g) {
      if (!c.is_wall(j) && is_strong(g, diagonal[at(i)], diagonal[at(j)])) forest.mark_strong(i);
    });
    for (std::int64_t z = begin; z < end; ++z)
      for (std::int32_t y = 0; y < shape.y; ++y) {
        const auto row = c.cells.owned_row(z, y);
        for (const voxel::run& r : row)
          for (std::int32_t n = 1; n < r.length; ++n)
            if ((origin.x + r.x + n - 1) >> shift[2] == (origin.x + r.x + n) >> shift[2])
              join(r.first + n - 1, r.first + n, 2, slab);
        if (y > 0 && (origin.y + y - 1) >> shift[1] == (origin.y + y) >> shift[1])
          join_rows(c.cells.owned_row(z, y - 1), row, 1, slab);
        if (z > begin) join_rows(c.cells.owned_row(z - 1, y), row, 0, slab);
      }
  });
  aggregates result;
  auto run = c.cells.runs.begin();
  result.parent = forest.number([&](std::int32_t i) {
    while (!c.cells.is_owned(*run) || i >= run->first + run->length) ++run;
    result.places.push_back(coarsened({origin.z + run->z, origin.y + run->y, origin.x + run->x + (i - run->first)}, shift));
  });
  return result;
}

// Centres of the aggregates of cells.
std::vector<point> cell_centres(const heat_cells& c, const std::vector<std::int32_t>& parent, std::size_t count,
                                const std::vector<std::int64_t>& slabs) {
  std::vector<point> points(count);
  const vector3 h = c.spacing_mm;
  const place origin = origin_of(c);
  for_each_slab(slabs, [&](std::size_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t z = begin; z < end; ++z)
      for (std::int64_t y = 0; y < c.cells.shape.y; ++y)
        for (const voxel::run& r : c.cells.owned_row(z, y)) {
          const std::array<double, 2> row{(origin.z + r.z + 0.5) * h.z, (origin.y + r.y + 0.5) * h.y};
          for (std::int32_t n = 0; n < r.length; ++n) {
            point& p = points[at(parent[at(r.first + n)])];
            const std::array<double, 3> centre{row[0], row[1], (origin.x + r.x + n + 0.5) * h.x};
            p.cells += 1;  // the centre is a running mean, which moves towards the new cell
            for (std::size_t a = 0; a < 3; ++a)
              p.centre[a] +=
                  static_cast<float>((centre[a] - static_cast<double>(p.centre[a])) / static_cast<double>(p.cells));
          }
        }
  });
  return points;
}

// Store the aggregates as pieces, and divide the pieces into strips at changes of the coarse z plane.
void set_pieces(const aggregates& found, coarse_level& level) {
  const std::vector<std::int32_t>& parent = found.parent;
  std::size_t count = 0;
  const auto for_each_piece = [&](auto&& each) {
    for (std::size_t i = 0; i < parent.size();) {
      const std::size_t begin = i++;
      while (i < parent.size() && parent[i] == parent[begin] && i - begin < 255) ++i;
      each(begin, i - begin);
    }
  };
  for_each_piece([&](std::size_t, std::size_t) { ++count; });
  level.parent.reserve(count);
  level.length.reserve(count);
  const auto plane = [&](std::int32_t p) { return found.places[at(p)].z; };
  for_each_piece([&](std::size_t begin, std::size_t length) {
    if (begin == 0 || plane(parent[begin]) != plane(parent[begin - 1]))
      level.strips.push_back({static_cast<std::int32_t>(level.parent.size()), static_cast<std::int32_t>(begin)});
    level.parent.push_back(parent[begin]);
    level.length.push_back(static_cast<std::uint8_t>(length));
  });
  level.strips.push_back({static_cast<std::int32_t>(count), static_cast<std::int32_t>(parent.size())});
}

// Distance factor of a coarse conductance. Factors between 1/2 and 1 keep the coarse operator within a factor of two of the
// Galerkin operator for any shape of the aggregates.
float shortening(float fine, float coarse) { return std::clamp(fine / std::max(coarse, 1e-30F), 0.5F, 1.0F); }

// Distance between two centres. Across a periodic face, the distance may be shorter; the result is the shorter distance.
float distance(const level_geometry& geometry, const point& a, const point& b) {
  float sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float d = std::abs(a.centre[axis] - b.centre[axis]);
    if (const float period = geometry.period[axis]; period > 0) d = std::min(d, std::abs(period - d));
    sum += d * d;
  }
  return std::sqrt(sum);
}

// Distance of a point from the outer face `side`.
float depth(const level_geometry& geometry, std::uint8_t side, const point& p) {
  const int axis = side / 2;
  const float from_low = p.centre[static_cast<std::size_t>(axis)];
  const auto length = static_cast<float>(static_cast<double>(geometry.domain[axis]) * geometry.spacing_mm[axis]);
  return side % 2 == 0 ? from_low : length - from_low;
}

// Message of a rank to its neighbour about a fine ghost.
struct ghost_parent {
  std::int32_t parent = 0;
  point where;
};

// Coarse number of any fine point, including ghosts.
class coarse_number {
 public:
  // Build the coarse halo, and append its ghosts to `points`. Both ranks of a link number the coarse ghosts in the order of
  // their first occurrence among the fine ghosts. The ranks therefore need not exchange numbers.
  // @param ghosts number of the first fine ghost
  coarse_number(const std::vector<std::int32_t>& parent, const halo& fine, std::int32_t ghosts, coarse_level& level,
                std::vector<point>& points)
      : parent_(parent), first_ghost_(ghosts) {
    const std::size_t owned = points.size();
    level.links.comm = fine.comm;
    std::vector<std::vector<ghost_parent>> sent(fine.links.size());
    std::vector<std::size_t> seen_by(owned, fine.links.size());
    for (std::size_t n = 0; n < fine.links.size(); ++n) {
      halo_link& link = level.links.links.emplace_back(halo_link{fine.links[n].rank, fine.links[n].side, {}, 0, 0});
      for (const std::int32_t i : fine.links[n].send) {
        const std::int32_t p = parent[at(i)];
        sent[n].push_back({p, points[at(p)]});
        if (seen_by[at(p)] != n) link.send.push_back(p);
        seen_by[at(p)] = n;
      }
    }
    const auto received = fine.swap(sent);
    for (std::size_t n = 0; n < fine.links.size(); ++n) {
      halo_link& link = level.links.links[n];
      link.ghost_begin = static_cast<std::int32_t>(points.size());
      std::unordered_map<std::int32_t, std::int32_t> known;  // parent at its owner -> coarse ghost
      for (const ghost_parent& ghost : received[n]) {
        const auto [entry, is_new] = known.try_emplace(ghost.parent, static_cast<std::int32_t>(points.size()));
        if (is_new) points.push_back(ghost.where);
        of_ghost_.push_back(entry->second);
      }
      link.ghost_count = static_cast<std::int32_t>(points.size()) - link.ghost_begin;
    }
    level.ghosts = static_cast<std::int32_t>(points.size() - owned);
  }

  std::int32_t operator()(std::int32_t i) const {
    return i < first_ghost_ ? parent_[at(i)] : of_ghost_[at(i - first_ghost_)];
  }

 private:
  const std::vector<std::int32_t>& parent_;
  std::int32_t first_ghost_;
  std::vector<std::int32_t> of_ghost_;
};

// Merge the walls on the same side of a point.
void unite_walls(std::vector<wall>& walls) {
  std::stable_sort(walls.begin(), walls.end(),
                   [](const wall& a, const wall& b) { return a.point != b.point ? a.point < b.point : a.side < b.side; });
  std::size_t used = 0;
  for (const wall& w : walls) {
    if (used > 0 && walls[used - 1].point == w.point && walls[used - 1].side == w.side)
      walls[used - 1].conductance += w.conductance;
    else
      walls[used++] = w;
  }
  walls.resize(used);
}

// Centres of the aggregates.
std::vector<point> merged(const std::vector<std::int32_t>& parent, const std::vector<point>& fine, std::size_t count) {
  std::vector<std::array<double, 4>> sum(count);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    auto& s = sum[at(parent[i])];
    const double weight = static_cast<double>(fine[i].cells);
    for (std::size_t a = 0; a < 3; ++a) s[a] += weight * static_cast<double>(fine[i].centre[a]);
    s[3] += weight;
  }
  std::vector<point> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t a = 0; a < 3; ++a) points[i].centre[a] = static_cast<float>(sum[i][a] / sum[i][3]);
    points[i].cells = static_cast<float>(sum[i][3]);
  }
  return points;
}

// Wall conductances of the aggregates. The factor `shortening` of the distances to the face multiplies a wall conductance,
// as it multiplies conductances between aggregates. Conductances of faces with a film are not changed.
std::vector<wall> merged_walls(const std::vector<std::int32_t>& parent, const level_geometry& fine,
                               const level_geometry& coarse) {
  std::vector<wall> walls(fine.walls);
  for (wall& w : walls) {
    const point& near = fine.points[at(w.point)];
    w.point = parent[at(w.point)];
    if (fine.is_fixed_on_face[w.side])
      w.conductance *= shortening(depth(fine, w.side, near), depth(fine, w.side, coarse.points[at(w.point)]));
  }
  unite_walls(walls);
  return walls;
}

}  // namespace

std::vector<float> diagonal_without_neighbours(const level_geometry& geometry) {
  std::vector<float> sum(geometry.storage);
  sum.resize(geometry.places.size());
  for (const wall& w : geometry.walls) sum[at(w.point)] += w.conductance;
  return sum;
}

std::array<int, 3> next_shift(const std::array<int, 3>& shift, const vector3& spacing_mm, index3 domain) {
  std::array<int, 3> next = shift;
  const auto open = [&](int a) { return (std::int64_t{1} << shift[static_cast<std::size_t>(a)]) < domain[a]; };
  const auto edge = [&](int a) { return std::ldexp(spacing_mm[a], shift[static_cast<std::size_t>(a)]); };
  double shortest = std::numeric_limits<double>::max();
  for (int a = 0; a < 3; ++a)
    if (open(a)) shortest = std::min(shortest, edge(a));
  for (int a = 0; a < 3; ++a)
    if (open(a) && edge(a) < 1.5 * shortest) ++next[static_cast<std::size_t>(a)];
  return next;
}

coarse_level aggregate(const heat_cells& fine, level_geometry& geometry) {
  geometry = {};
  const vector3 h = geometry.spacing_mm = fine.spacing_mm;
  geometry.domain = fine.where.domain;
  // The first aggregates have 4 x 4 x 4 cells, because a level of 2 x 2 x 2 cells would need as much memory as all vectors
  // of the cells.
  geometry.shift = next_shift(next_shift({}, h, fine.where.domain), h, fine.where.domain);
  for (int a = 0; a < 3; ++a)
    if (fine.periodic[static_cast<std::size_t>(a)])
      geometry.period[static_cast<std::size_t>(a)] = static_cast<float>(static_cast<double>(geometry.domain[a]) * h[a]);
  for (std::size_t side = 0; side < 6; ++side) {
    const auto first = at(fine.walls) + side * static_cast<std::size_t>(fine.cells.shape.x);
    geometry.is_fixed_on_face[side] = fine.resistivity[fine.material[first]] == 0;
  }
  const auto stencil = fine.stencil<double>();
  coarse_level level;
  const std::vector<std::int64_t> slabs = slabs_of(fine, geometry.shift);
  aggregates found = split_cells(fine, geometry.shift, slabs);
  const std::vector<std::int32_t>& parent = found.parent;
  set_pieces(found, level);
  geometry.places = std::move(found.places);
  geometry.points = cell_centres(fine, parent, geometry.places.size(), slabs);

  for (const outer_face& f : fine.outer) {
    if (!fine.is_wall(f.other)) continue;
    const std::int32_t p = parent[at(f.cell)];
    auto g = static_cast<float>(fine.conductance(f));
    if (geometry.is_fixed_on_face[f.side])
      g *= shortening(static_cast<float>(h[f.axis()] / 2), depth(geometry, f.side, geometry.points[at(p)]));
    geometry.walls.push_back({p, f.side, g});
  }
  unite_walls(geometry.walls);
  if (!fine.is_steady()) {
    geometry.storage.resize(geometry.places.size());
    for (std::int32_t i = 0; i < fine.owned; ++i)
      geometry.storage[at(parent[at(i)])] += static_cast<float>(fine.storage[fine.material[at(i)]]);
  }
  const coarse_number number(parent, fine.links, fine.owned, level, geometry.points);
  assemble_rows(level.matrix, diagonal_without_neighbours(geometry), std::ssize(slabs) - 1,
                [&](auto&& put, std::int64_t slab) {
                  const auto cells = fine.part(slabs[at(slab)], slabs[at(slab) + 1]);
                  kernel::visit_faces(stencil, cells, [&](std::int32_t i, std::int32_t j, int axis, bool, double g) {
                    if (fine.is_wall(j)) return;
                    const std::int32_t from = parent[at(i)], to = number(j);
                    if (from == to) return;
                    put(from, to, [&] {
                      return static_cast<float>(g) *
                             shortening(static_cast<float>(h[axis]),
                                        distance(geometry, geometry.points[at(from)], geometry.points[at(to)]));
                    });
                  });
                });
  return level;
}

coarse_level aggregate(const coarse_level& fine, level_geometry& geometry) {
  const kernel::sparse_rows& k = fine.matrix;
  const std::int32_t owned = k.rows();
  const auto shift = next_shift(geometry.shift, geometry.spacing_mm, geometry.domain);
  const std::array<int, 3> step{shift[0] - geometry.shift[0], shift[1] - geometry.shift[1], shift[2] - geometry.shift[2]};
  coarse_level level;
  level_geometry coarse;
  coarse.shift = shift;
  coarse.spacing_mm = geometry.spacing_mm;
  coarse.domain = geometry.domain;
  coarse.period = geometry.period;
  coarse.is_fixed_on_face = geometry.is_fixed_on_face;
  aggregates found = split_points(fine, geometry, step);
  const std::vector<std::int32_t>& parent = found.parent;
  set_pieces(found, level);
  coarse.places = std::move(found.places);
  coarse.points = merged(parent, geometry.points, coarse.places.size());
  coarse.walls = merged_walls(parent, geometry, coarse);
  if (!geometry.storage.empty()) {
    coarse.storage.resize(coarse.places.size());
    for (std::size_t i = 0; i < parent.size(); ++i) coarse.storage[at(parent[i])] += geometry.storage[i];
  }
  const coarse_number number(parent, fine.links, owned, level, coarse.points);
  assemble_rows(level.matrix, diagonal_without_neighbours(coarse), [&](auto&& put) {
    for (std::int32_t i = 0; i < owned; ++i)
      for (std::int32_t e = k.begin[at(i)]; e < k.begin[at(i) + 1]; ++e) {
        const std::int32_t j = k.column[at(e)], from = parent[at(i)], to = number(j);
        if (from == to) continue;
        put(from, to, [&] {
          return k.conductance[at(e)] * shortening(distance(geometry, geometry.points[at(i)], geometry.points[at(j)]),
                                                   distance(geometry, coarse.points[at(from)], coarse.points[at(to)]));
        });
      }
  });
  geometry = std::move(coarse);
  return level;
}

}  // namespace osteon::numerics
