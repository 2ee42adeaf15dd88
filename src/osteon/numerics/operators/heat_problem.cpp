#include <osteon/numerics/operators/heat_problem.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>

namespace osteon::numerics {

namespace {

void check_locally(const heat_problem& problem) {
  std::string usage, data;
  const auto fault = [](std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; };
  const vector3 h = problem.spacing_mm;
  for (int a = 0; a < 3; ++a)
    if (!(h[a] > 0) || !std::isfinite(h[a]))
      fault(usage, fmt::format("voxel spacing along {}: must be positive and finite, not {} mm", "zyx"[a], h[a]));
  for (int side = 0; side < 6; ++side) {
    const auto a = static_cast<std::size_t>(side / 2);
    const face_condition& face = problem.faces[a][static_cast<std::size_t>(side % 2)];
    const std::string name = fmt::format("the {} {} face", side % 2 == 0 ? "low" : "high", "zyx"[a]);
    if (!std::isfinite(face.temperature_K) || !std::isfinite(face.flux_W_per_mm2))
      fault(usage, fmt::format("{}: temperature ({} K) and flux ({} W/mm2) must be finite", name, face.temperature_K,
                               face.flux_W_per_mm2));
    if (face.kind == thermal::convection && !(face.transfer_W_per_mm2K > 0 && std::isfinite(face.transfer_W_per_mm2K)))
      fault(usage, fmt::format("{}: heat transfer coefficient must be positive and finite, not {} W/(mm2 K)", name,
                               face.transfer_W_per_mm2K));
    if (problem.periodic[a] && face.kind != thermal::insulated)
      fault(usage, fmt::format("{}: a periodic face must not have another boundary condition; remove one of them", name));
  }
  for (int a = 0; a < 3; ++a)
    if (!std::isfinite(problem.gradient_K_per_mm[a]))
      fault(usage, fmt::format("temperature gradient along {}: must be finite, not {} K/mm", "zyx"[a],
                               problem.gradient_K_per_mm[a]));
  if (!problem.source_W_per_mm3.empty() && problem.materials != nullptr &&
      problem.source_W_per_mm3.size() < problem.materials->size())
    fault(usage, fmt::format("heat sources: {} values for {} materials (including empty space); pass one value per material",
                             problem.source_W_per_mm3.size(), problem.materials->size()));
  for (const double s : problem.source_W_per_mm3)
    if (!std::isfinite(s)) fault(usage, fmt::format("heat source: must be finite, not {} W/mm3", s));
  if (problem.cells.shape() != problem.where.owned.shape())
    fault(usage, "cells: shape differs from the block of the rank; pass the active voxels of where.owned");
  if (problem.material.size() != static_cast<std::size_t>(problem.cells.size()))
    fault(usage, fmt::format("materials: {} numbers for {} active cells; pass one material number per active cell",
                             problem.material.size(), problem.cells.size()));
  if (problem.materials == nullptr) fault(usage, "materials: missing table; pass a material table");
  std::size_t films = 0;
  for (std::size_t side = 0; side < 6; ++side) films += problem.faces[side / 2][side % 2].kind == thermal::convection;
  if (problem.materials != nullptr && films > 0 && problem.materials->size() + films > std::size_t{most_materials} + 1)
    fault(usage,
          fmt::format(
              "{} materials leave no material number for convection films; materials and films together must not exceed {}",
              problem.materials->size() - 1, most_materials));
  if (!usage.empty()) throw usage_error(usage);

  std::vector<std::int64_t> used(most_materials + 1);
  for (const material_number m : problem.material) ++used[m];
  const auto& table = *problem.materials;
  for (std::size_t m = 0; m < used.size(); ++m) {
    if (used[m] == 0) continue;
    if (m == 0 || m >= table.size())
      fault(data, fmt::format("{} active cells have material {}, but the material table contains 1 to {}; add the material",
                              used[m], m, static_cast<std::int64_t>(table.size()) - 1));
    else if (const double k = table[m].conductivity_W_per_mK; !(k > 0) || !std::isfinite(k))
      fault(data, fmt::format("material {} ({}, {} active cells): conductivity must be positive, not {} W/(m K); exclude "
                              "insulating voxels from the active cells",
                              m, table[m].name, used[m], k));
  }
  if (!data.empty()) throw data_error(data);
}

}  // namespace

void check_conduction(const heat_problem& problem) {
  comm::collectively(problem.where.comm, [&] { check_locally(problem); });
}

}  // namespace osteon::numerics
