#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/solve/flow/openings/wall_shear.hpp>
#include <unordered_map>

namespace osteon::solve {

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
      double square = 0;
      for (const std::size_t c : kernel::axes_across[a]) {
        const double wall = b == nullptr ? 0 : multiple * b->slide_mm_per_s[static_cast<int>(c)] / slide_unit;
        const double relative = velocity[at(i)][c] - wall;
        square += relative * relative;
      }
      force += area[a] * 2 * std::sqrt(square) / h[static_cast<int>(a)];
      wetted += area[a];
    }
    if (wetted == 0) return;
    result.has_wall[at(i)] = true;
    result.of_cell[at(i)] = static_cast<float>(force / wetted);
    sums[0] += force, sums[1] += wetted;
  });
  comm::all_reduce(problem.where.comm, sums.data(), 2, MPI_SUM);
  result.mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
  return result;
}

}  // namespace osteon::solve
