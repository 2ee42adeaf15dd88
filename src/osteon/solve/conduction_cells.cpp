#include <osteon/solve/conduction_cells.hpp>

#include <algorithm>
#include <numeric>

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

// Cut the runs of row (z, y) where a neighbour row begins or ends.
void cut_row(conduction_cells& c, const heat_problem& problem, std::int64_t z, std::int64_t y) {
  const index3 shape = c.cells.shape(), domain = problem.where.domain;
  const auto row = [&](std::int64_t pz, std::int64_t py) {
    return row_cursor(py < 0 || py >= shape.y ? std::span<const voxel::run>{} : c.cells.row(pz, py));
  };
  // In the order of the segment: below, above, front, back.
  std::array<row_cursor, 4> cursors{row(z - 1, y), row(z + 1, y), row(z, y - 1), row(z, y + 1)};
  const std::int64_t global_z = problem.where.owned.begin.z + z - 1;
  const bool on_z = problem.along == axis::z, on_y = problem.along == axis::y, on_x = problem.along == axis::x;
  const std::array<std::int32_t, 4> walls{on_z && global_z == 0 ? c.low_wall : -1,
                                          on_z && global_z == domain.z - 1 ? c.high_wall : -1,
                                          on_y && y == 0 ? c.low_wall : -1, on_y && y == domain.y - 1 ? c.high_wall : -1};
  for (const voxel::run& r : c.cells.row(z, y)) {
    const std::int32_t end = r.x + r.length;
    for (std::int32_t x = r.x; x < end;) {
      std::int32_t until = end;
      const std::int32_t first = r.first + (x - r.x);
      std::array<std::int32_t, 4> base{};
      for (std::size_t n = 0; n < 4; ++n) {
        base[n] = cursors[n].at(x, until);
        if (base[n] < 0) base[n] = walls[n] >= 0 ? walls[n] + x : first;
      }
      const std::int32_t last = first + (until - x) - 1;
      const std::int32_t left = x > r.x ? first - 1 : on_x && x == 0 ? c.low_wall : first;
      const std::int32_t right = until < end ? last + 1 : on_x && until == domain.x ? c.high_wall : last;
      add_segment(c, {first, until - x, base[0], base[1], base[2], base[3], left, right});
      x = until;
    }
  }
}

}  // namespace

conduction_cells make_conduction_cells(const heat_problem& problem, voxel::run_set cells,
                                       std::vector<std::uint8_t> material) {
  conduction_cells c;
  c.cells = std::move(cells);
  const index3 shape = c.cells.shape();
  c.begin = c.cells.plane_begin(1);
  c.end = c.cells.plane_begin(shape.z - 1);
  c.low_wall = c.cells.size();
  c.high_wall = c.low_wall + static_cast<std::int32_t>(shape.x);
  c.size = c.high_wall + static_cast<std::int32_t>(shape.x);

  const auto& m = *problem.materials;
  for (std::size_t i = 1; i < std::min<std::size_t>(m.size(), 256); ++i)
    if (m[i].conductivity_W_per_mK > 0) c.resistivity[i] = 1000 / m[i].conductivity_W_per_mK;
  const vector3 h = problem.spacing_mm;
  c.face = {2 * h.y * h.x / h.z, 2 * h.z * h.x / h.y, 2 * h.z * h.y / h.x};

  c.halo.comm = problem.where.comm;
  halo_side& below = c.halo.sides[0];
  halo_side& above = c.halo.sides[1];
  const auto side = [](int rank, std::int32_t first, std::int32_t last, std::int32_t ghost, std::int32_t count) {
    halo_side s{rank, {}, ghost, count};
    if (rank == MPI_PROC_NULL) return s;
    s.send.resize(static_cast<std::size_t>(last - first));
    std::iota(s.send.begin(), s.send.end(), first);
    return s;
  };
  below = side(problem.where.below, c.begin, c.cells.plane_begin(2), 0, c.begin);
  above = side(problem.where.above, c.cells.plane_begin(shape.z - 2), c.end, c.end, c.cells.size() - c.end);

  material.insert(material.begin(), static_cast<std::size_t>(c.begin), 0);
  material.resize(static_cast<std::size_t>(c.size), 0);
  c.material = std::move(material);
  c.halo.exchange(c.material.data());

  for (std::int64_t z = 1; z + 1 < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) cut_row(c, problem, z, y);
  c.uniform.shrink_to_fit();
  c.mixed.shrink_to_fit();
  return c;
}

}  // namespace osteon::solve
