#include <osteon/numerics/operators/elasticity_problem.hpp>

#include <algorithm>

namespace osteon::numerics {

vector3 position_mm(const elasticity_problem& problem, std::int32_t node) {
  const auto runs = problem.nodes.runs();
  const auto after = std::upper_bound(runs.begin(), runs.end(), node,
                                      [](std::int32_t number, const voxel::run& r) { return number < r.first; });
  const voxel::run& r = *(after - 1);
  const index3 at = problem.where.owned.begin + index3{r.z, r.y, r.x + node - r.first};
  const vector3& h = problem.spacing_mm;
  return {static_cast<double>(at.z) * h.z, static_cast<double>(at.y) * h.y, static_cast<double>(at.x) * h.x};
}

}  // namespace osteon::numerics
