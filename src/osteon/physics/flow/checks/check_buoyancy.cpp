#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_buoyancy(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys& f = job.groups.of<flow_keys>();
  if (!f.expansion_per_K) {
    for (const auto& [given, key] : {std::pair{f.gravity_m_per_s2.has_value(), "flow.gravity_m_per_s2"},
                                     {f.reference_temperature_K.has_value(), "flow.reference_temperature_K"}})
      expect(!given, key, "given without flow.expansion_per_K, and only buoyancy reads it; give that, or remove it");
    return;
  }
  expect(f.heat, "flow.expansion_per_K", "given, but flow.heat is not: without a temperature nothing is buoyant; set it");
  expect(std::isfinite(*f.expansion_per_K) && *f.expansion_per_K != 0, "flow.expansion_per_K",
         fmt::format("{} must be finite and not 0 1/K", *f.expansion_per_K));
  const auto& g = f.gravity_m_per_s2;
  expect(g.has_value(), "flow.gravity_m_per_s2", "missing: flow.expansion_per_K needs it, e.g. [-9.81, 0, 0] where z is up");
  expect(!g || g->size() == 3, "flow.gravity_m_per_s2", fmt::format("{} values; give three, [z, y, x]", g ? g->size() : 0));
  expect(!g || (std::all_of(g->begin(), g->end(), [](double a) { return std::isfinite(a); }) &&
                std::any_of(g->begin(), g->end(), [](double a) { return a != 0; })),
         "flow.gravity_m_per_s2", "must be finite and point somewhere");
  expect(std::isfinite(f.reference_temperature_K.value_or(0)), "flow.reference_temperature_K", "must be finite");
  expect(f.multiples.empty() || conditions_drive(job), "flow.multiples",
         "given, but heat alone drives the flow, and does not grow with them: there is no velocity, flow rate, drop of "
         "pressure or sliding wall; remove it");
}

}  // namespace osteon::physics
