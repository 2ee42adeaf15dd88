#include <osteon/physics/thermo_elasticity/entry.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/fault_list.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/elasticity/elastic_answers.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/flow/entry.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/heat/heat_case.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <osteon/physics/heat/temperature_frames.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/thermo_elasticity/flow_stress.hpp>
#include <osteon/physics/thermo_elasticity/thermal_stress.hpp>
#include <set>
#include <utility>

namespace osteon::physics {

namespace {

constexpr const char* first_stage = "flow";  // name of the first stage; the scopes of keys use this name as a test

void check_thermal_load(const spec& job, std::vector<problem>& problems) {
  if (has_flow_stage(job)) check_flow_stage(job, problems);
  check_field_names(job, problems);
  const fault_list expect(problems);
  const drive_spec& drive = job.groups.of<mechanical_keys>().drive;
  expect(!drive.area || !drive.area_mm2, "load.area", "conflicts with area_mm2; remove one of the two");
  expect(std::abs(drive.strain.value_or(0)) <= 1, "load.strain", "{} must be in [-1, 1]; 0 fixes both faces",
         drive.strain.value_or(0));
  expect(job.groups.of<thermo_elastic_keys>().reference_K.has_value(), "load.reference_K",
         "missing; specify the stress-free temperature in K");
}

solver_work thermo_elastic_work(const spec& job, const voxel::node_count* nodes) {
  solver_work work;
  if (nodes)
    work.held = prescribed_by_test(job, *nodes, is_between_plates(job) ? elastic_test::axial_bonded : elastic_test::custom);
  if (has_flow_stage(job)) {
    // Additional memory and time of the first stage, in units of the costs of this entry.
    const solver_costs &c = flow().costs, &own = thermo_elasticity().costs;
    const solver_work first = flow().work(flow_stage_of(job), nullptr);
    const double of_flow = (c.bytes_per_unknown + (first.kept - 1) * c.bytes_per_further) * c.unknowns_per_element;
    work.kept += std::max(0.0, of_flow - own.bytes_per_unknown * own.unknowns_per_element) /
                 (own.bytes_per_further * own.unknowns_per_element);
    work.solutions += (c.setup_seconds + first.solutions * c.solution_seconds) / own.solution_seconds;
  }
  return work;
}

// Answers of the first stage of a job with [flow]. These answers are the answers of flow without permeability.
std::vector<answer> flow_stage_answers() {
  static const std::set<std::string> keys{"flow_rate_mm3_per_s", "pressure_drop_Pa",
                                          "reynolds_number",     "mean_speed_mm_per_s",
                                          "mass_imbalance",      "temperature_K.fluid",
                                          "temperature_K.solid", "opening_temperature_K.*",
                                          "face_inflow_W.*",     "heat_source_W",
                                          "heat_carried_out_W",  "wall_heat_W",
                                          "wall_temperature_K",  "heat_transfer_coefficient_W_per_m2K",
                                          "nusselt_number",      "heat_imbalance"};
  std::vector<answer> all;
  for (const answer& a : flow().answers)
    if (keys.contains(a.key)) all.push_back(a);
  return all;
}

std::vector<answer> thermo_elastic_answers() {
  std::vector<answer> all{
      {"von_mises_MPa.mean", "von Mises stress, mean", "MPa", "Mean over the solid."},
      {"von_mises_MPa.p98", "von Mises stress, 98 %", "MPa", "98th percentile over the solid."},
      {"apparent_stress_MPa", "apparent stress", "MPa", "Reaction force along the axis over the reference area."},
      {"apparent_area_mm2", "area of the apparent stress", "mm2",
       "Reference area normal to the axis, selected by load.area and load.area_mm2."},
      definition_of_area(),
      report_only({"reaction_N", "reaction (z, y, x)", "N", "Force on the high face."}),
      mean_sed("Strain energy density of the mechanical strain at voxel centres."),
      high_sed(),
      {"temperature_K.mean", "temperature, mean", "K", "Mean over the solid; with [flow] also over the fluid."},
      report_only({"temperature_K.low", "temperature, lowest", "K", "Minimum over voxels."}),
      report_only({"temperature_K.high", "temperature, highest", "K", "Maximum over voxels."}),
      {"flux_W", "heat flow", "W", "Heat flow through each of the two faces."},
  };
  for (answer& a : flow_stage_answers()) all.push_back(std::move(a));
  return all;
}

std::vector<load_test> thermo_elastic_tests() {
  return {tests_of_one_face().front(),
          {name_of(thermo_elastic_test::free_expansion),
           "only the thermal load (thermo_elasticity)",
           {"free", "expansion", "thermalexpansion", "freeexpansion"}}};
}

void register_thermo_elastic_keys(key_table& job) {
  register_load_keys(job);
  register_condition_keys(job);
  job.table("load", "")
      .keys_in<thermo_elastic_keys, spec>([](spec& s) -> auto& { return s.groups.of<thermo_elastic_keys>(); }, 30)(
          "reference_K", &thermo_elastic_keys::reference_K, "thermo_elasticity: stress-free temperature in K.");
  const std::string warm = "thermo_elasticity";
  const std::vector<std::string> plates = names_of(thermo_elastic_test::axial_bonded),
                                 all = names_of(thermo_elastic_test::axial_bonded, thermo_elastic_test::free_expansion);
  job.accept({warm, plates}, {"load.strain", "load.area", "load.area_mm2"});
  job.accept({warm, all}, {"load.reference_K", "output.fields", "picture.field", "flow"});
  std::vector<std::string> of_flow = keys_of_openings();
  of_flow.insert(of_flow.end(), {"boundary", "material.heat_source_W_per_m3"});
  job.accept({warm, {first_stage}, " with [flow]"}, of_flow);
}

}  // namespace

const physics_entry& thermo_elasticity() {
  static const physics_entry row{
      .name = "thermo_elasticity",
      .meaning = "thermal stress from the temperatures of a heat problem",
      .caption = "The specimen under load",
      .synonyms = {"thermomechanical", "thermoelastic", "thermalstress", "coupled"},
      .answers = thermo_elastic_answers(),
      .tests = thermo_elastic_tests(),
      .usual_test = "axial_bonded",
      .test = [](const spec& job) { return job.load.test.value_or(name_of(thermo_elastic_test::axial_bonded)); },
      .test_of_first_stage = [](const spec& job) { return std::string(has_flow_stage(job) ? first_stage : ""); },
      .keys = register_thermo_elastic_keys,
      .implied = {"flow.heat"},
      .check = check_thermal_load,
      .warn =
          [](const spec& job, const vector3* size_mm, std::vector<problem>& warnings) {
            warn_of_loads(job, size_mm, warnings);
            warn_of_temperatures(job, size_mm, warnings);
            if (!size_mm) warn_of_kelvin(job.groups.of<thermo_elastic_keys>().reference_K, "load.reference_K", warnings);
          },
      .check_on_solid = [](const spec& job, const std::function<local_model()>& read,
                           std::vector<problem>&) { check_thermo_elasticity(job, read()); },
      .needs = {&property::conductivity, &property::youngs_modulus, &property::thermal_expansion},
      .reason_for_faces_only = "heat does not flow through edges or corners",
      .rules =
          [](const spec& job) {
            return has_flow_stage(job) ? find_physics("flow")->rules(flow_stage_of(job))
                                       : solid_rules{.must_connect_faces = true};
          },
      .system = {io::centring::node, 3},
      .costs = {3.81, 84, 1, 3e-6, 13e-6},  // measured with 128^3 voxels: 161 MB and 7.9 s
      .work = thermo_elastic_work,
      .most_components = most_elastic_components,
      .picture = {.is_surface = true, .fields = shown_elastic_fields()},
      .reason_for_files = [](const spec& job) { return flow().reason_for_files(job); },
      .run = run_thermo_elasticity,
      .count_messages =
          [](const spec& job, const local_model& part, const numerics::message_count& count) {
            const condition_keys& given = job.groups.of<condition_keys>();
            const bool heat_flows = given.low_K != given.high_K;
            if (heat_flows)
              count_messages(make_heat_problem(job, part, heat_test::conduction), false,
                             {.begins = [&](numerics::solve_part p) { count.begins(numerics::earlier(p)); }});
            count_messages(std::move(*make_problem(part)), count);
            std::vector<io::field_info> fields;
            for (const result_field& f : heat_fields(part, {}, {})) fields.push_back(f.info);
            for (const result_field& f : elastic_fields(part, fields_of_job(job), {})) fields.push_back(f.info);
            return fields;
          },
      .counts_missing_levels = true,
      .reason_not_counted =
          [](const spec& job) { return std::string(has_flow_stage(job) ? "the temperatures of a flow are required" : ""); },
      .paint =
          [](const spec& job, const local_model& part) {
            return has_flow_stage(job) ? nullptr : paint_temperatures(part, std::nullopt);
          }};
  return row;
}

}  // namespace osteon::physics
