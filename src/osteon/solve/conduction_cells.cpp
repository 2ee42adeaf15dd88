#include <osteon/solve/conduction_cells.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <osteon/comm/together.hpp>
#include <osteon/solve/percolation.hpp>

namespace osteon::solve {

namespace {

// Walks one neighbour row while x grows.
class row_cursor {
 public:
  explicit row_cursor(std::span<const voxel::run> row) : row_(row) {}
  // Number of the neighbour at x, or -1; lowers `until` to the x at which that changes.
  std::int32_t at(std::int32_t x, std::int32_t& until) {
    while (!row_.empty() && row_.front().x + row_.front().length <= x) row_ = row_.subspan(1);
    if (row_.empty()) return -1;
    const voxel::run& r = row_.front();
    if (x < r.x) {
      until = std::min(until, r.x);
      return -1;
    }
    until = std::min(until, r.x + r.length);
    return r.first + (x - r.x);
  }

 private:
  std::span<const voxel::run> row_;
};

bool all_equal(const conduction_cells& c, std::int32_t first, std::int32_t length, std::uint8_t value) {
  const auto begin = c.material.begin() + first;
  return std::all_of(begin, begin + length, [value](std::uint8_t m) { return m == value; });
}

void add_segment(conduction_cells& c, const kernel::conduction_segment& s) {
  const std::uint8_t own = c.material[static_cast<std::size_t>(s.first)];
  bool uniform = all_equal(c, s.left, 1, own) && all_equal(c, s.right, 1, own);
  for (const std::int32_t row : {s.first, s.below, s.above, s.front, s.back})
    uniform = uniform && all_equal(c, row, s.length, own);
  (uniform ? c.uniform : c.mixed).push_back(s);
}

// Cuts the runs of a row where a neighbour row begins or ends.
class row_cutter {
 public:
  row_cutter(conduction_cells& c, const heat_problem& problem) : c_(c), problem_(problem) {}

  void cut(std::int64_t z, std::int64_t y) {
    const auto row = c_.cells.row(z, y);
    if (row.empty()) return;
    z_ = static_cast<std::int32_t>(problem_.where.owned.begin.z + z - 1);
    y_ = static_cast<std::int32_t>(y);
    // In the order of the segment: below, above, front, back.
    std::array<row_cursor, 4> cursors{row_cursor(c_.cells.row(z - 1, y)), row_cursor(c_.cells.row(z + 1, y)),
                                      neighbour_row(z, y - 1), neighbour_row(z, y + 1)};
    const std::array<bool, 4> outer{z_ == 0, z_ == domain().z - 1, y == 0, y == domain().y - 1};
    const bool wraps = c_.periodic[2] && row.front().x == 0 && row.back().x + row.back().length == domain().x;
    for (const voxel::run& r : row) {
      const std::int32_t end = r.x + r.length;
      for (std::int32_t x = r.x; x < end;) {
        std::int32_t until = end;
        const std::int32_t first = r.first + (x - r.x);
        std::array<std::int32_t, 4> base{};
        for (std::size_t n = 0; n < 4; ++n) base[n] = cursors[n].at(x, until);
        const std::int32_t length = until - x;
        for (std::size_t n = 0; n < 4; ++n)
          base[n] = outer[n] ? beyond(n, first, base[n], x, length) : base[n] < 0 ? first : base[n];
        const std::int32_t last = first + length - 1;
        const std::int32_t left = x > r.x    ? first - 1
                                  : x == 0 ? beyond(4, first, wraps ? row.back().first + row.back().length - 1 : -1, x, 1)
                                           : first;
        const std::int32_t right = until < end                ? last + 1
                                   : until == domain().x ? beyond(5, last, wraps ? row.front().first : -1, until - 1, 1)
                                                         : last;
        add_segment(c_, {first, length, base[0], base[1], base[2], base[3], left, right});
        x = until;
      }
    }
  }

 private:
  const index3& domain() const { return problem_.where.domain; }
  row_cursor neighbour_row(std::int64_t z, std::int64_t y) const {
    const std::int64_t rows = domain().y;
    if (y >= 0 && y < rows) return row_cursor(c_.cells.row(z, y));
    return row_cursor(c_.periodic[1] ? c_.cells.row(z, (y + rows) % rows) : std::span<const voxel::run>{});
  }
  // What the `count` cells from `first` at x have beyond the outer face `side`; `across` is the periodic neighbour or -1.
  std::int32_t beyond(std::size_t side, std::int32_t first, std::int32_t across, std::int32_t x, std::int32_t count) {
    const thermal kind = problem_.faces[side / 2][side % 2].kind;
    const bool periodic = c_.periodic[side / 2];
    const bool wall = !periodic && (kind == thermal::temperature || kind == thermal::convection);
    const bool flux = !periodic && kind == thermal::flux;
    const std::int32_t base = periodic ? (across < 0 ? first : across) : wall ? wall_row(side) + x : first;
    if (wall || flux || (periodic && across >= 0))
      for (std::int32_t n = 0; n < count; ++n)
        c_.outer.push_back({first + n, base + n, z_, y_, x + n, static_cast<std::uint8_t>(side)});
    return base;
  }
  std::int32_t wall_row(std::size_t side) const {
    return c_.walls + static_cast<std::int32_t>(side) * static_cast<std::int32_t>(domain().x);
  }

  conduction_cells& c_;
  const heat_problem& problem_;
  std::int32_t z_ = 0, y_ = 0;
};

// Give the wall cells of each face a material of their own, whose resistance is that of the film of a convection.
void line_walls(conduction_cells& c, const heat_problem& problem) {
  std::size_t number = problem.materials->size();
  for (std::size_t side = 0; side < 6; ++side) {
    const face_condition& face = problem.faces[side / 2][side % 2];
    if (c.periodic[side / 2] || face.kind != thermal::convection) continue;
    if (number > 255)
      throw usage_error(fmt::format(
          "{} materials leave no number for the films of convection; at most 255 of both together", problem.materials->size() - 1));
    c.resistivity[number] = 2 / (c.spacing_mm[static_cast<int>(side / 2)] * face.transfer_W_per_mm2K);
    const auto row = c.material.begin() + c.walls + static_cast<std::ptrdiff_t>(side) * problem.where.domain.x;
    std::fill(row, row + problem.where.domain.x, static_cast<std::uint8_t>(number++));
  }
}

}  // namespace

conduction_cells make_conduction_cells(const heat_problem& problem, voxel::run_set cells,
                                       std::vector<std::uint8_t> material) {
  conduction_cells c;
  c.where = closed_ring(problem.where, problem.periodic[0]);
  c.spacing_mm = problem.spacing_mm;
  c.periodic = problem.periodic;
  c.cells = std::move(cells);
  const index3 shape = c.cells.shape();
  c.begin = c.cells.plane_begin(1);
  c.end = c.cells.plane_begin(shape.z - 1);
  c.walls = c.cells.size();

  const auto& m = *problem.materials;
  for (std::size_t i = 1; i < std::min<std::size_t>(m.size(), 256); ++i)
    if (m[i].conductivity_W_per_mK > 0) c.resistivity[i] = 1000 / m[i].conductivity_W_per_mK;
  const vector3 h = problem.spacing_mm;
  c.face = {2 * h.y * h.x / h.z, 2 * h.z * h.x / h.y, 2 * h.z * h.y / h.x};

  c.halo.comm = c.where.comm;
  const auto side = [](int rank, std::int32_t first, std::int32_t last, std::int32_t ghost, std::int32_t count) {
    halo_side s{rank, {}, ghost, count};
    if (rank == MPI_PROC_NULL) return s;
    s.send.resize(static_cast<std::size_t>(last - first));
    std::iota(s.send.begin(), s.send.end(), first);
    return s;
  };
  c.halo.sides[0] = side(c.where.below, c.begin, c.cells.plane_begin(2), 0, c.begin);
  c.halo.sides[1] = side(c.where.above, c.cells.plane_begin(shape.z - 2), c.end, c.end, c.cells.size() - c.end);

  comm::together(c.where.comm, [&] {
    if (c.walls > std::numeric_limits<std::int32_t>::max() - 6 * shape.x)
      throw data_error("more cells on one rank than it can number; use more ranks");
    c.size = c.walls + 6 * static_cast<std::int32_t>(shape.x);
    c.material.reserve(static_cast<std::size_t>(c.size));
    c.material.assign(static_cast<std::size_t>(c.begin), 0);
    c.material.insert(c.material.end(), material.begin(), material.end());
    c.material.resize(static_cast<std::size_t>(c.size), 0);
    line_walls(c, problem);
  });
  c.halo.exchange(c.material.data());

  row_cutter cutter(c, problem);
  for (std::int64_t z = 1; z + 1 < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) cutter.cut(z, y);
  c.uniform.shrink_to_fit();
  c.mixed.shrink_to_fit();
  return c;
}

}  // namespace osteon::solve
