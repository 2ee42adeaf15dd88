#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/probes/check_probes.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void check_flow(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys& f = job.groups.of<flow_keys>();
  const std::string test = flow_test(job);
  expect(test == "permeability" || test == "permeability_tensor" || test == "dispersion" || test == "flow", "load.test",
         fmt::format("'{}' does not go with physics = \"flow\"; use 'permeability', 'permeability_tensor', 'dispersion' or "
                     "'flow'",
                     test));
  expect(f.reference_velocity_mm_per_s.has_value() == f.reference_area_mm2.has_value(), "flow.reference_area_mm2",
         "goes together with flow.reference_velocity_mm_per_s; give both or none");
  if (test == "flow") {
    check_openings(job, problems);
    check_time_steps(job, problems);
    check_probes(job, f.heat, problems);
  } else {
    refuse_probes(job, problems);
    expect(!f.reference_area_mm2, "flow.reference_area_mm2", "belongs to test = \"flow\"; remove it");
    expect(
        !job.groups.of<condition_keys>().transient, "transient",
        fmt::format("does not go with test = \"{}\": a permeability is that of steady flow; remove one of the two", test));
    expect(!f.cfl && !f.start && !f.steady_change_per_s, "flow.cfl",
           "and flow.start and flow.steady_change_per_s belong to test = \"flow\" with [transient]; remove them");
    expect(job.groups.of<condition_keys>().boundaries.empty(), "boundary",
           fmt::format("belongs to test = \"flow\", not to '{}'; remove one of the two", test));
    expect(!f.inertia, "flow.inertia", "belongs to test = \"flow\": a permeability is that of creeping flow; remove it");
    expect(f.multiples.empty(), "flow.multiples", "belongs to test = \"flow\"; remove it");
    expect(f.force_labels.empty(), "flow.force_labels", "belongs to test = \"flow\"; remove it");
    expect(!f.label_image, "flow.label_image", "belongs to test = \"flow\"; remove it");
  }
  expect(f.fluid_labels.empty() || job.segment.labels, "flow.fluid_labels",
         "given, but segment.labels is not: the image holds grey values; set it, or say by flow.fluid which voxels flow");
  expect(f.fluid_labels.empty() || f.fluid == fluid_voxels::empty, "flow.fluid",
         "given together with flow.fluid_labels; remove one");
  for (const double label : f.fluid_labels)
    expect(label == std::floor(label) && std::abs(label) < 1e15, "flow.fluid_labels",
           fmt::format("{} is no label; labels are whole numbers", label));
  expect(!(job.segment.keep == kept_parts::percolating), "segment.keep",
         "'percolating' is for solids; a flow job takes all of the fluid, and what leads through nowhere stands still");
  const load_spec& l = job.load;
  const bool other = l.strain || l.displacement_mm || l.force_N || l.angle_deg || l.moment_N_mm || l.gravity_m_per_s2 ||
                     l.direction || l.about_mm || l.bonded || l.area || l.area_mm2 || l.depth_mm != 0 ||
                     l.faces != loaded_faces::image;
  expect(!other, "load", "of its keys only test, axis and boundary_condition go with physics = \"flow\"");
  expect(!job.output_fields, "output.fields",
         "given, but physics = \"flow\" always writes velocity, speed and pressure; remove it");
  check_flow_heat(job, problems);
  check_heat_in_time(job, problems);
  check_flow_residence(job, problems);
  check_flow_pictures(job, problems);
  check_buoyancy(job, problems);
  check_flow_dispersion(job, problems);
}

void refuse_flow(const spec& job, std::vector<problem>& problems) {
  const std::string test = job.load.test.value_or("");
  if (test == "permeability" || test == "permeability_tensor" || test == "dispersion" || test == "flow")
    problems.push_back({"load.test", fmt::format("'{}' belongs to physics = \"flow\"", test)});
  if (job.groups.has<flow_keys>() && !physics_of(job).may_begin_with_flow)
    problems.push_back({"flow", "belongs to physics = \"flow\" or \"thermo_elasticity\"; remove it or change the physics"});
  refuse_flow_pictures(job, problems);
  refuse_probes(job, problems);
  for (std::size_t n = 0; n < job.groups.of<condition_keys>().boundaries.size(); ++n)
    if (!job.groups.of<condition_keys>().boundaries[n].factor_at_s.empty() ||
        job.groups.of<condition_keys>().boundaries[n].period_s)
      problems.push_back({fmt::format("boundary[{}].factor_at_s", n + 1), "belongs to physics = \"flow\"; remove it"});
}

}  // namespace osteon::physics
