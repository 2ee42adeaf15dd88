#include <osteon/solve/conduction_check.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <osteon/comm/together.hpp>

namespace osteon::solve {

namespace {

void check_locally(const heat_problem& problem) {
  std::string usage, data;
  const auto fault = [](std::string& list, const std::string& text) { list += (list.empty() ? "" : "; ") + text; };
  const vector3 h = problem.spacing_mm;
  for (int a = 0; a < 3; ++a)
    if (!(h[a] > 0) || !std::isfinite(h[a]))
      fault(usage, fmt::format("the voxel spacing along {} is {} mm; it must be positive and finite", "zyx"[a], h[a]));
  if (!std::isfinite(problem.low_K) || !std::isfinite(problem.high_K))
    fault(usage, fmt::format("the face temperatures are {} and {} K; both must be finite", problem.low_K, problem.high_K));
  if (problem.cells.shape() != problem.where.owned.shape())
    fault(usage, "the cells are not those of the owned planes; pass the active cells of the rank's own block");
  if (problem.material.size() != static_cast<std::size_t>(problem.cells.size()))
    fault(usage, fmt::format("{} materials for {} active cells; pass one material per active cell", problem.material.size(),
                             problem.cells.size()));
  if (problem.materials == nullptr) fault(usage, "there is no table of materials; pass one");
  if (!usage.empty()) throw usage_error(usage);

  std::array<std::int64_t, 256> used{};
  for (const std::uint8_t m : problem.material) ++used[m];
  const auto& table = *problem.materials;
  for (std::size_t m = 0; m < used.size(); ++m) {
    if (used[m] == 0) continue;
    if (m == 0 || m >= table.size())
      fault(data, fmt::format("{} active cells have material {}, but the table knows 1 to {}; add the material", used[m], m,
                              static_cast<std::int64_t>(table.size()) - 1));
    else if (const double k = table[m].conductivity_W_per_mK; !(k > 0) || !std::isfinite(k))
      fault(data,
            fmt::format("material {} ({}) of {} active cells has a conductivity of {} W/(m K); it must be positive (take "
                        "insulating voxels out of the active cells)",
                        m, table[m].name, used[m], k));
  }
  if (!data.empty()) throw data_error(data);
}

}  // namespace

void check_conduction(const heat_problem& problem) {
  comm::together(problem.where.comm, [&] { check_locally(problem); });
}

}  // namespace osteon::solve
