#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/fault_list.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/probes/check_probes.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

void check_buoyancy(const spec& job, const fault_list& expect) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const auto& g = f.gravity_m_per_s2;
  if (!f.expansion_per_K) {
    for (const auto& [given, key] : {std::pair{g.has_value(), "flow.gravity_m_per_s2"},
                                     {f.reference_temperature_K.has_value(), "flow.reference_temperature_K"}})
      expect(!given, key, "requires flow.expansion_per_K (buoyancy); set flow.expansion_per_K or remove this key");
    return;
  }
  expect(*f.expansion_per_K != 0, "flow.expansion_per_K", "must not be 0");
  expect(g.has_value(), "flow.gravity_m_per_s2",
         "missing; required by flow.expansion_per_K, for example [-9.81, 0, 0] if z points up");
  expect(!g || std::any_of(g->begin(), g->end(), [](double a) { return a != 0; }), "flow.gravity_m_per_s2",
         "must not be [0, 0, 0]");
  expect(f.multiples.empty() || conditions_drive(job), "flow.multiples",
         "not applicable: only buoyancy drives this flow; remove the key, or prescribe a velocity, flow rate, pressure drop "
         "or sliding wall");
}

void check_residence(const spec& job, const fault_list& expect) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const condition_keys& conditions = job.groups.of<condition_keys>();
  expect(!f.residence_time || std::any_of(conditions.boundaries.begin(), conditions.boundaries.end(), is_opening),
         "flow.residence_time", "requires an opening for the inflow; add a [[boundary]] table or remove the key");
  expect(!f.residence_time || !conditions.transient, "flow.residence_time",
         "requires a steady flow; remove this key or [transient]");
  expect(f.residence_time || !f.diffusivity_m2_per_s || test_of_flow(job) == flow_test::dispersion,
         "flow.diffusivity_m2_per_s",
         "not used: requires flow.residence_time = true or load.test = \"dispersion\"; set one of them or remove the key");
}

void check_pictures(const spec& job, const fault_list& expect) {
  constexpr std::int64_t most_pathlines = 10'000;
  const flow_keys& f = job.groups.of<flow_keys>();
  const bool is_in_time = job.groups.of<condition_keys>().transient.has_value();
  const picture_spec& p = job.picture;
  const auto field = shown_field_of_flow(job);
  expect(field != flow_field::temperature || f.heat, "picture.field", "'temperature' requires flow.heat = true");
  expect(field != flow_field::residence_time || f.residence_time, "picture.field",
         "'residence_time' requires flow.residence_time = true");
  expect(p.pathlines >= 0 && p.pathlines <= most_pathlines, "picture.pathlines", "{} must be in [0, {}] particles",
         p.pathlines, most_pathlines);
  expect(p.pathlines <= 0 || is_in_time, "picture.pathlines",
         "requires [transient]; for a steady flow, use picture.streamlines");
  expect(p.pathlines <= 0 || p.streamlines.value_or(0) == 0, "picture.streamlines",
         "not allowed together with picture.pathlines; remove one of the two keys");
  expect(!p.shows || (is_in_time && p.every > 0), "picture.shows",
         "requires frames of a transient flow; set [transient] and picture.every, or remove the key");
  expect(p.shows != "pathlines" || p.pathlines > 0, "picture.shows",
         "'pathlines' requires the number of particles; set picture.pathlines");
}

}  // namespace

void check_flow(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  const flow_keys& f = job.groups.of<flow_keys>();
  expect(f.reference_velocity_mm_per_s.has_value() == f.reference_area_mm2.has_value(), "flow.reference_area_mm2",
         "requires flow.reference_velocity_mm_per_s, and vice versa; set both keys or neither");
  if (is_between_openings(job)) {
    check_openings(job, problems);
    check_time_steps(job, problems);
    check_probes(job, f.heat, problems);
  }
  expect(f.fluid_labels.empty() || job.segment.labels, "flow.fluid_labels",
         "requires segment.labels = true; for an image of grey values, select the fluid voxels by flow.fluid");
  expect(f.fluid_labels.empty() || f.fluid == fluid_voxels::empty, "flow.fluid",
         "not allowed together with flow.fluid_labels; remove one of the two keys");
  for (const double label : f.fluid_labels)
    expect(label == std::floor(label) && std::abs(label) < 1e15, "flow.fluid_labels",
           "{} is not a label; labels are integers", label);
  expect(!(job.segment.keep == kept_parts::percolating), "segment.keep",
         "'percolating' applies to solids only; a flow job uses all fluid voxels; remove the key");
  check_flow_heat(job, problems);
  check_heat_in_time(job, problems);
  check_residence(job, expect);
  check_pictures(job, expect);
  check_buoyancy(job, expect);
  expect(test_of_flow(job) != flow_test::dispersion || !f.peclet_numbers.empty() || f.diffusivity_m2_per_s,
         "flow.peclet_numbers",
         "missing; give Peclet numbers, for example [0, 1, 10, 100], or flow.diffusivity_m2_per_s for the flow at "
         "flow.pressure_drop_Pa");
}

}  // namespace osteon::physics
