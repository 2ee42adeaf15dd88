#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_flow_dispersion(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys& f = job.groups.of<flow_keys>();
  const bool is_asked = flow_test(job) == "dispersion";
  for (const auto& [key, given] : {std::pair{"flow.peclet_numbers", !f.peclet_numbers.empty()},
                                   {"flow.peclet_length_mm", f.peclet_length_mm.has_value()}})
    expect(is_asked || !given, key, fmt::format("belongs to test = \"dispersion\", not to '{}'; remove it", flow_test(job)));
  if (!is_asked) return;
  expect(
      !f.peclet_numbers.empty() || f.diffusivity_m2_per_s, "flow.peclet_numbers",
      "missing: give the ratios of what is carried to what diffuses, e.g. [0, 1, 10, 100], or diffusivity_m2_per_s for the "
      "flow at pressure_drop_Pa");
}

}  // namespace osteon::physics
