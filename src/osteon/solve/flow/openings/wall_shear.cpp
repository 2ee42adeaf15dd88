#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/solve/flow/openings/wall_shear.hpp>
#include <osteon/solve/flow/wall_slopes.hpp>
#include <unordered_map>

namespace osteon::solve {

namespace {

// Force and area of walls around each cell. The friction on a single stair depends on its place in the stairs; over some
// voxels of the surface the force is that of the balance of momentum.
class surface_means {
 public:
  explicit surface_means(const heat_cells& grid) : grid_(grid) {
    for (auto& v : values_) v.assign(at(grid.size), 0);
  }
  float& force(std::int32_t i, std::size_t component) { return values_[component][at(i)]; }
  float& area(std::int32_t i) { return values_[3][at(i)]; }

  /// Sum over the cells within some steps, nearer ones more often. @collective
  void gather() {
    constexpr int steps = 3;
    std::vector<float> next(at(grid_.size));
    for (auto& v : values_)
      for (int n = 0; n < steps; ++n) {
        grid_.links.exchange(v.data());
        visit_neighbours(grid_, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
          float sum = v[at(i)];
          for (const std::int32_t j : near)
            if (j >= 0) sum += v[at(j)];
          next[at(i)] = sum;
        });
        v.swap(next);
      }
  }
  float friction(std::int32_t i) const {
    const float z = values_[0][at(i)], y = values_[1][at(i)], x = values_[2][at(i)];
    return std::sqrt(z * z + y * y + x * x) / values_[3][at(i)];
  }

 private:
  const heat_cells& grid_;
  std::array<std::vector<float>, 4> values_;
};

}  // namespace

std::vector<std::uint8_t> passed_sides(const through_problem& problem, const open_flow_cells& open) {
  std::vector<std::uint8_t> passed(at(open.cells.grid.owned));
  for (const flow_side& s : open.sides)
    if (problem.boundaries[at(s.boundary)].kind != face_flow::wall)
      passed[at(s.cell)] = static_cast<std::uint8_t>(passed[at(s.cell)] | 1U << s.side);
  return passed;
}

wall_shear find_wall_shear(const through_problem& problem, const open_flow_cells& open,
                           const std::vector<std::array<double, 4>>& velocity, double slide_unit, double multiple) {
  const heat_cells& grid = open.cells.grid;
  const vector3 h = problem.spacing_mm;
  const std::array<double, 3> area{h.y * h.x, h.z * h.x, h.z * h.y};
  wall_shear result;
  result.of_cell.assign(at(grid.owned), 0);
  result.has_wall.assign(at(grid.owned), false);
  std::vector<bool> beyond(at(grid.owned));
  for (const std::int32_t i : open.cells.beyond) beyond[at(i)] = true;
  // Conditions of outer sides that a table names.
  std::unordered_map<std::int32_t, std::array<const flow_boundary*, 6>> named;
  for (const flow_side& s : open.sides) {
    const flow_boundary& b = problem.boundaries[at(s.boundary)];
    named[s.cell][s.side] = &b;
  }
  const wall_slopes slopes(grid.where, open.cells.numbers, h, passed_sides(problem, open));
  surface_means around(grid);
  std::vector<bool> is_flat(at(grid.owned), true);
  std::array<double, 2> sums{};
  visit_neighbours(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (beyond[at(i)]) return;
    const bool is_named = open.outer[at(i)] != 0 || (!open.inner.empty() && open.inner[at(i)] != 0);
    const auto found = is_named ? named.find(i) : named.end();
    double force = 0, wetted = 0;
    for (std::size_t d = 0; d < 6; ++d) {
      if (near[d] >= 0) continue;
      const flow_boundary* const b = found == named.end() ? nullptr : found->second[d];
      if (b != nullptr && b->kind != face_flow::wall) continue;
      const std::size_t a = d / 2;
      const double share = slopes.share(i, d), per_velocity = area[a] * 2 / h[static_cast<int>(a)];
      if (share < 1) is_flat[at(i)] = false;
      double square = 0;
      for (const std::size_t c : kernel::axes_across[a]) {
        const double wall = b == nullptr ? 0 : multiple * b->slide_mm_per_s[static_cast<int>(c)] / slide_unit;
        const double relative = velocity[at(i)][c] - wall;
        square += relative * relative;
        around.force(i, c) += static_cast<float>(per_velocity * relative);
      }
      force += per_velocity * std::sqrt(square);
      wetted += area[a] * share;
    }
    around.area(i) = static_cast<float>(wetted);
    if (wetted == 0) return;
    result.has_wall[at(i)] = true;
    result.of_cell[at(i)] = static_cast<float>(force / wetted);
    sums[0] += force, sums[1] += wetted;
  });
  around.gather();
  for (std::int32_t i = 0; i < grid.owned; ++i)
    if (result.has_wall[at(i)] && !is_flat[at(i)]) result.of_cell[at(i)] = around.friction(i);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, problem.where.comm);
  result.mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
  return result;
}

}  // namespace osteon::solve
