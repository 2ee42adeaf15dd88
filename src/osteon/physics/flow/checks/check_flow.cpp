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
      expect(!given, key, "given without flow.expansion_per_K, and only buoyancy reads it; give that, or remove it");
    return;
  }
  expect(*f.expansion_per_K != 0, "flow.expansion_per_K", "must not be 0");
  expect(g.has_value(), "flow.gravity_m_per_s2", "missing: flow.expansion_per_K needs it, e.g. [-9.81, 0, 0] where z is up");
  expect(!g || std::any_of(g->begin(), g->end(), [](double a) { return a != 0; }), "flow.gravity_m_per_s2",
         "must point somewhere");
  expect(f.multiples.empty() || conditions_drive(job), "flow.multiples",
         "given, but heat alone drives the flow, and does not grow with them: there is no velocity, flow rate, drop of "
         "pressure or sliding wall; remove it");
}

void check_residence(const spec& job, const fault_list& expect) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const condition_keys& conditions = job.groups.of<condition_keys>();
  expect(!f.residence_time || std::any_of(conditions.boundaries.begin(), conditions.boundaries.end(), is_opening),
         "flow.residence_time", "no opening lets fluid in, so the fluid is never renewed; give openings, or remove it");
  expect(!f.residence_time || !conditions.transient, "flow.residence_time", "is of steady flow; remove it, or [transient]");
  expect(f.residence_time || !f.diffusivity_m2_per_s || test_of_flow(job) == flow_test::dispersion,
         "flow.diffusivity_m2_per_s",
         "given, and neither flow.residence_time nor test = \"dispersion\" reads it; set flow.residence_time = true, or "
         "remove it");
}

void check_pictures(const spec& job, const fault_list& expect) {
  constexpr std::int64_t most_pathlines = 10'000;
  const flow_keys& f = job.groups.of<flow_keys>();
  const bool is_in_time = job.groups.of<condition_keys>().transient.has_value();
  const picture_spec& p = job.picture;
  const auto field = shown_field_of_flow(job);
  expect(field != flow_field::temperature || f.heat, "picture.field", "'temperature' needs flow.heat = true");
  expect(field != flow_field::residence_time || f.residence_time, "picture.field",
         "'residence_time' needs flow.residence_time = true");
  expect(p.pathlines >= 0 && p.pathlines <= most_pathlines, "picture.pathlines", "{} must be in [0, {}] particles",
         p.pathlines, most_pathlines);
  expect(p.pathlines <= 0 || is_in_time, "picture.pathlines",
         "given, but the flow is steady: particles follow its streamlines (picture.streamlines); remove it, or add "
         "[transient]");
  expect(p.pathlines <= 0 || p.streamlines.value_or(0) == 0, "picture.streamlines",
         "given together with picture.pathlines; a picture has lines of one kind, remove one");
  expect(!p.shows || (is_in_time && p.every > 0), "picture.shows",
         "is of the frames of a flow in time; give [transient] and picture.every, or remove it");
  expect(p.shows != "pathlines" || p.pathlines > 0, "picture.shows",
         "'pathlines' needs particles; give their number by picture.pathlines");
}

}  // namespace

void check_flow(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  const flow_keys& f = job.groups.of<flow_keys>();
  expect(f.reference_velocity_mm_per_s.has_value() == f.reference_area_mm2.has_value(), "flow.reference_area_mm2",
         "goes together with flow.reference_velocity_mm_per_s; give both or none");
  if (is_between_openings(job)) {
    check_openings(job, problems);
    check_time_steps(job, problems);
    check_probes(job, f.heat, problems);
  }
  expect(f.fluid_labels.empty() || job.segment.labels, "flow.fluid_labels",
         "given, but segment.labels is not: the image holds grey values; set it, or say by flow.fluid which voxels flow");
  expect(f.fluid_labels.empty() || f.fluid == fluid_voxels::empty, "flow.fluid",
         "given together with flow.fluid_labels; remove one");
  for (const double label : f.fluid_labels)
    expect(label == std::floor(label) && std::abs(label) < 1e15, "flow.fluid_labels",
           "{} is no label; labels are whole numbers", label);
  expect(!(job.segment.keep == kept_parts::percolating), "segment.keep",
         "'percolating' is for solids; a flow job takes all of the fluid, and what leads through nowhere stands still");
  check_flow_heat(job, problems);
  check_heat_in_time(job, problems);
  check_residence(job, expect);
  check_pictures(job, expect);
  check_buoyancy(job, expect);
  expect(test_of_flow(job) != flow_test::dispersion || !f.peclet_numbers.empty() || f.diffusivity_m2_per_s,
         "flow.peclet_numbers",
         "missing: give the ratios of what is carried to what diffuses, e.g. [0, 1, 10, 100], or diffusivity_m2_per_s for "
         "the flow at pressure_drop_Pa");
}

}  // namespace osteon::physics
