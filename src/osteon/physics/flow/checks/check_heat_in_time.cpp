#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_heat_in_time(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys& f = job.groups.of<flow_keys>();
  const bool applies = f.heat && job.groups.of<condition_keys>().transient;
  for (std::size_t n = 0; n < job.materials.size(); ++n) {
    const auto& capacity = job.materials[n].heat_capacity_J_per_m3K;
    const std::string where = fmt::format("material[{}].heat_capacity_J_per_m3K", n + 1);
    expect(applies || !capacity, where,
           "given, but only flow.heat with [transient] reads it: the steady temperature does not depend on it; remove it");
    expect(!applies || capacity, where, "missing: flow.heat with [transient] needs it, in J/(m3 K)");
  }
  if (!job.groups.of<condition_keys>().transient) return;
  const auto& initial = job.groups.of<condition_keys>().transient->initial_K;
  expect(f.heat || !initial, "transient.initial_K", "given, but flow.heat is not: there is no temperature; remove it");
  expect(!f.heat || initial, "transient.initial_K", "missing: flow.heat needs the temperature at the start, in K");
  expect(std::isfinite(initial.value_or(0)), "transient.initial_K", "must be finite");
  expect(!f.expansion_per_K || f.start.value_or(start_of_flow::rest) == start_of_flow::rest, "flow.start",
         fmt::format("'{}' does not go with flow.expansion_per_K: the flow that heat drives begins at rest; remove it",
                     f.start.name()));
}

}  // namespace osteon::physics
