#include <osteon/physics/thermo_elasticity/entry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/elasticity/elastic_answers.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/loads_on_solid.hpp>
#include <osteon/physics/elasticity/solver/rehearse_elasticity.hpp>
#include <osteon/physics/elasticity/warn_of_loads.hpp>
#include <osteon/physics/flow/entry.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/heat/heat_case.hpp>
#include <osteon/physics/heat/solver/rehearse_heat.hpp>
#include <osteon/physics/heat/temperature_frames.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/thermo_elasticity/flow_stress.hpp>
#include <set>
#include <utility>

namespace osteon::physics {

namespace {

void check_warm_load(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  if (is_with_flow(job)) {
    check_flow_stage(job, problems);
  } else {
    expect(job.groups.of<condition_keys>().boundaries.empty(), "boundary",
           "belongs to physics = \"heat\" or \"flow\", or to thermo_elasticity with [flow]; remove it, add [flow] or change "
           "the physics");
    for (std::size_t n = 0; n < job.materials.size(); ++n)
      expect(
          job.materials[n].heat_source_W_per_m3 == 0, fmt::format("material[{}].heat_source_W_per_m3", n + 1),
          "belongs to physics = \"heat\", or to thermo_elasticity with [flow]; remove it, add [flow] or change the physics");
  }
  const load_spec& l = job.load;
  const std::string test = l.test.value_or("axial_bonded");
  expect(test == "axial_bonded" || test == "free_expansion", "load.test",
         fmt::format("'{}' does not go with physics = \"thermo_elasticity\"{}; use 'axial_bonded' or 'free_expansion'", test,
                     test == "conduction" ? ", which has it anyway" : ""));
  const bool other = l.displacement_mm || l.force_N || l.angle_deg || l.moment_N_mm || l.gravity_m_per_s2 || l.direction ||
                     l.about_mm || l.bonded || l.depth_mm != 0 || l.faces != loaded_faces::image;
  expect(!other, "load",
         "of the keys of a mechanical test only axis, strain, area and area_mm2 go with physics = \"thermo_elasticity\"");
  expect(!(l.area || l.area_mm2) || test == "axial_bonded", l.area ? "load.area" : "load.area_mm2",
         fmt::format("does not go with test = \"{}\", which has no apparent stress; remove it", test));
  expect(!l.area || !l.area_mm2, "load.area", "given together with area_mm2; remove one of the two");
  expect(test == "axial_bonded" || !l.strain, "load.strain",
         fmt::format("given, but test = \"{}\" drives no face; remove it", test));
  expect(std::abs(l.strain.value_or(0)) <= 1, "load.strain",
         fmt::format("{} must be in [-1, 1]; 0 holds the faces where they are", l.strain.value_or(0)));
  expect(l.reference_K.has_value(), "load.reference_K",
         "missing: the temperature in K at which the specimen is free of stress");
  for (const auto& [key, value] :
       {std::pair{"low_K", l.low_K}, {"high_K", l.high_K}, {"reference_K", l.reference_K.value_or(0)}})
    expect(std::isfinite(value), fmt::format("load.{}", key), fmt::format("{} must be finite", value));
}

void refuse_warm_load(const spec& job, std::vector<problem>& problems) {
  if (job.load.reference_K)
    problems.push_back({"load.reference_K", "given, but only physics = \"thermo_elasticity\" needs it; remove it"});
}

solver_work warm_work(const spec& job, const voxel::node_count* nodes) {
  solver_work work;
  if (nodes) work.held = held_by_test(job, *nodes, job.load.test.value_or("axial_bonded"));
  if (is_with_flow(job)) {
    // The stages before it in the costs of this row: their memory, if that is more, and their time.
    const solver_costs &c = flow().costs, &own = thermo_elasticity().costs;
    const solver_work first = flow().work(flow_stage_of(job), nullptr);
    const double of_flow = (c.bytes_per_unknown + (first.kept - 1) * c.bytes_per_further) * c.unknowns_per_element;
    work.kept += std::max(0.0, of_flow - own.bytes_per_unknown * own.unknowns_per_element) /
                 (own.bytes_per_further * own.unknowns_per_element);
    work.solutions += (c.setup_seconds + first.solutions * c.solution_seconds) / own.solution_seconds;
  }
  return work;
}

// What a job with [flow] tells of its first stage: of flow's numbers those that are not of permeability.
std::vector<answer> flow_stage_answers() {
  static const std::set<std::string> told{"flow_rate_mm3_per_s", "pressure_drop_Pa",
                                          "reynolds_number",     "mean_speed_mm_per_s",
                                          "mass_imbalance",      "temperature_K.fluid",
                                          "temperature_K.solid", "opening_temperature_K.*",
                                          "face_inflow_W.*",     "heat_source_W",
                                          "heat_carried_out_W",  "wall_heat_W",
                                          "wall_temperature_K",  "heat_transfer_coefficient_W_per_m2K",
                                          "nusselt_number",      "heat_imbalance"};
  std::vector<answer> all;
  for (const answer& a : flow().answers)
    if (told.contains(a.key)) all.push_back(a);
  return all;
}

std::vector<answer> warm_answers() {
  std::vector<answer> all{
      {.key = "von_mises_MPa.mean", .title = "von Mises stress, mean", .unit = "MPa", .meaning = "Averaged over the solid."},
      {.key = "von_mises_MPa.p98",
       .title = "von Mises stress, 98 %",
       .unit = "MPa",
       .meaning = "98 % of the solid lie below."},
      {.key = "apparent_stress_MPa",
       .title = "apparent stress",
       .unit = "MPa",
       .meaning = "Reaction force along the axis over its area."},
      {.key = "apparent_area_mm2",
       .title = "area of the apparent stress",
       .unit = "mm2",
       .meaning = "Across the axis; load.area and load.area_mm2 choose it."},
      {.key = "apparent_area_definition",
       .title = "definition of this area",
       .meaning = "The convex outline of the solid, the box of the image, the box around the solid, its mean section, or a "
                  "number of the job.",
       .in_table = false},
      {.key = "reaction_N",
       .title = "reaction (z, y, x)",
       .unit = "N",
       .meaning = "Force on the high face.",
       .in_table = false},
      mean_sed("Strain energy density of the mechanical strain, at the voxels' centres."),
      high_sed(),
      {.key = "temperature_K.mean",
       .title = "temperature, mean",
       .unit = "K",
       .meaning = "Averaged over the solid, with [flow] over the fluid, too."},
      {.key = "temperature_K.low", .title = "temperature, lowest", .unit = "K", .meaning = "Of a voxel.", .in_table = false},
      {.key = "temperature_K.high",
       .title = "temperature, highest",
       .unit = "K",
       .meaning = "Of a voxel.",
       .in_table = false},
      {.key = "flux_W", .title = "heat flow", .unit = "W", .meaning = "Through each of the two faces."},
  };
  for (answer& a : flow_stage_answers()) all.push_back(std::move(a));
  return all;
}

std::vector<load_test> warm_tests() {
  std::vector<load_test> tests = tests_of_one_face();
  std::erase_if(tests, [](const load_test& test) { return test.name != "axial_bonded"; });
  tests.push_back({"free_expansion",
                   "the temperatures only, in thermo_elasticity",
                   {"free", "expansion", "thermalexpansion", "freeexpansion"}});
  return tests;
}

void register_warm_keys(key_table& job) {
  register_load_keys(job);
  register_condition_keys(job);
  job.table("load", "")
      .keys_in<load_spec, spec>(&spec::load, 30)("reference_K", &load_spec::reference_K,
                                                 "Temperature in K at which a thermo_elasticity job is free of stress.");
}

}  // namespace

const physics_entry& thermo_elasticity() {
  static const physics_entry row{
      .name = "thermo_elasticity",
      .meaning = "the stress that the temperatures of a heat problem cause",
      .caption = "The specimen under load",
      .synonyms = {"thermomechanical", "thermoelastic", "thermalstress", "coupled"},
      .answers = warm_answers(),
      .tests = warm_tests(),
      .usual_test = "axial_bonded",
      .keys = register_warm_keys,
      .check = check_warm_load,
      .warn =
          [](const spec& job, const vector3* size_mm, std::vector<problem>& warnings) {
            warn_of_loads(job, size_mm, warnings);
            warn_of_temperatures(job, size_mm, warnings);
          },
      .refuse = refuse_warm_load,
      .check_on_solid = [](const spec& job, const std::function<local_model()>& read,
                           std::vector<problem>&) { check_thermo_elasticity(job, read()); },
      .needs = {&property::conductivity, &property::youngs_modulus, &property::thermal_expansion},
      .takes_boundaries = true,
      .takes_heat_sources = true,
      .why_not_by_corners = "no heat flows through an edge or a corner",
      .rules =
          [](const spec& job) {
            return is_with_flow(job) ? find_physics("flow")->rules(flow_stage_of(job))
                                     : solid_rules{.must_join_faces = true};
          },
      .system = {io::centring::node, 3},
      .costs = {3.81, 84, 1, 3e-6, 13e-6},  // 128^3: 161 MB, 7.9 s
      .work = warm_work,
      .most_components = most_elastic_components,
      .balances_moments = true,
      .shows_surface = true,
      .why_not_in_memory = [](const spec& job) { return flow().why_not_in_memory(job); },
      .run = run_thermo_elasticity,
      .rehearse =
          [](const spec& job, const local_model& part, const numerics::part_listener& begins) {
            const bool heat_flows = job.load.low_K != job.load.high_K;
            if (heat_flows)
              rehearse_heat(make_heat_problem(job, part, "conduction"),
                            [&](numerics::solve_part p) { begins(numerics::earlier(p)); });
            rehearse_elasticity(*make_problem(part), begins);
            std::vector<io::field_info> fields;
            for (const result_field& f : heat_fields(part, {}, {})) fields.push_back(f.info);
            for (const result_field& f : elastic_fields(part, job.output_fields.value_or(default_elastic_fields()), {}))
              fields.push_back(f.info);
            return fields;
          },
      .may_begin_with_flow = true,
      .why_not_rehearsed =
          [](const spec& job) { return is_with_flow(job) ? find_physics("flow")->why_not_rehearsed(job) : std::string(); },
      .paint = [](const spec& job,
                  const local_model& part) { return is_with_flow(job) ? nullptr : paint_temperatures(part, std::nullopt); }};
  return row;
}

}  // namespace osteon::physics
