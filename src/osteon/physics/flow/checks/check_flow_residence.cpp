#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_flow_residence(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys& f = job.groups.of<flow_keys>();
  expect(!f.residence_time || flow_test(job) == "flow", "flow.residence_time",
         fmt::format("belongs to test = \"flow\", which has openings, not to '{}'; remove it", flow_test(job)));
  const auto is_opening = [](const boundary_spec& b) {
    const optional_choice<condition_kind>& kind = b.kind;
    return kind == condition_kind::velocity || kind == condition_kind::flow_rate || kind == condition_kind::pressure ||
           kind == condition_kind::outlet;
  };
  expect(!f.residence_time || std::any_of(job.groups.of<condition_keys>().boundaries.begin(),
                                          job.groups.of<condition_keys>().boundaries.end(), is_opening),
         "flow.residence_time", "no opening lets fluid in, so the fluid is never renewed; give openings, or remove it");
  expect(!f.residence_time || !job.groups.of<condition_keys>().transient, "flow.residence_time",
         "is of steady flow; remove it, or [transient]");
  expect(f.residence_time || !f.diffusivity_m2_per_s || flow_test(job) == "dispersion", "flow.diffusivity_m2_per_s",
         "given, and neither flow.residence_time nor test = \"dispersion\" reads it; set flow.residence_time = true, or "
         "remove it");
}

}  // namespace osteon::physics
