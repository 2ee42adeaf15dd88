#include <osteon/physics/flow/stages/count_flow_messages.hpp>

#include <limits>
#include <optional>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/solve_part.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/probes/probes.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <osteon/physics/flow/stages/flow_heat.hpp>
#include <osteon/physics/flow/stages/run_flow_transient.hpp>
#include <osteon/physics/flow/stages/run_permeability.hpp>
#include <osteon/physics/flow/stages/through_problem.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr double never = std::numeric_limits<double>::min();  // a tolerance that no step reaches

}  // namespace

std::vector<io::field_info> count_flow_messages(const spec& job, const local_model& part,
                                                const numerics::message_count& count) {
  count.begins(numerics::solve_part::set_up);
  std::vector<io::field_info> fields = flow_field_infos();
  if (!is_between_openings(job)) {
    flow_options options;
    options.permeability_tolerance = never;
    options.fields = false;
    options.counts_messages = true;
    solve_permeability(make_flow_problem(job, part), options, null_log());
    return fields;
  }
  std::vector<std::size_t> table_of;
  const through_problem problem = make_through_problem(job, part, table_of);
  through_options options;
  options.tolerance = never;
  options.fields = false;
  options.counts_messages = true;
  std::optional<probes> watching;
  if (!job.groups.of<probe_keys>().probes.empty())
    options.watch = &watching.emplace(job, part, problem.cells, job.groups.of<flow_keys>().heat).watch();
  if (job.groups.of<condition_keys>().transient) {
    options.fields = true;  // the ghosts of the fields are exchanged
    solve_transient_flow(problem, make_flow_time_plan(job), options, nullptr, {}, null_log());
    return fields;
  }
  options.faces = job.groups.of<flow_keys>().heat;
  options.carry = count_mass_keeping;
  const through_solution flow = solve_flow_through(problem, options, null_log());
  fields.push_back(wall_shear_info());
  if (!options.faces) return fields;
  temperature_problem heat = make_temperature_problem(job, part, problem.cells, problem.boundaries, table_of);
  heat.counts_messages = true;
  heat.face_velocity_mm_per_s = flow.face_velocity_mm_per_s;
  // The flow is not solved. The inflow therefore has an arbitrary temperature.
  for (auto& temperature : heat.incoming_K) temperature = temperature.value_or(0);
  numerics::options any;
  any.tolerance = 1e-6;
  const temperature_solution temperature = solve_flow_temperature(heat, any, null_log());
  if (watching) watching->take_temperature(temperature.temperature_K);
  fields.push_back(flow_temperature_info());
  return fields;
}

std::string reason_flow_not_counted(const spec& job) {
  const flow_keys& f = job.groups.of<flow_keys>();
  if (test_of_flow(job) == flow_test::dispersion) return "each Peclet number of the dispersion requires a separate solution";
  if (f.expansion_per_K) return "buoyancy alternates flow and temperature until convergence";
  if (f.residence_time) return "the residence time depends on the computed flow";
  if (f.heat && job.groups.of<condition_keys>().transient) return "the transient temperature depends on the computed flow";
  if (f.heat && f.multiples.size() > 1) return "each of flow.multiples has a separate temperature";
  if (job.groups.of<condition_keys>().transient && job.groups.of<condition_keys>().transient->write_steps)
    return "transient.write_steps writes fields during the run";
  if (job.picture.pathlines > 0) return "the ranks of pathline particles depend on the computed flow";
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    if (b.kind == condition_kind::periodic && b.flow_rate_mm3_per_s)
      return "the pressure drop for a prescribed flow rate is computed iteratively";
    if (is_inside(b)) return "openings inside the image depend on labels that each rank reads";
  }
  return {};
}

}  // namespace osteon::physics
