#include <osteon/physics/flow/stages/run_flow_through.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/probes/probes.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <osteon/physics/flow/stages/buoyancy.hpp>
#include <osteon/physics/flow/stages/flow_heat.hpp>
#include <osteon/physics/flow/stages/flow_residence.hpp>
#include <osteon/physics/flow/stages/forchheimer.hpp>
#include <osteon/physics/flow/stages/run_flow_transient.hpp>
#include <osteon/physics/flow/stages/solid_labels.hpp>
#include <osteon/physics/flow/stages/through_answers.hpp>
#include <osteon/physics/flow/stages/through_problem.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

// Where a flow that missed its tolerance stands.
std::string state_of(const through_flow& flow, bool has_inertia) {
  std::vector<std::string> steps;
  for (const double s : flow.steady_history) steps.push_back(fmt::format("{:.1e}", s));
  constexpr std::size_t most = 12;
  const bool is_long = steps.size() > most;
  if (is_long) steps.erase(steps.begin(), steps.end() - most);
  return fmt::format(
      "an error of {:.2e} of the answer (after each step: {}{}{})",
      flow.steady_history.empty() ? 1 : flow.steady_history.back(), is_long ? "..., " : "", fmt::join(steps, ", "),
      has_inertia ? "; a flow that does not settle is transient: a steady one is not to be had at this velocity" : "");
}

}  // namespace

physics_result run_flow_through(const spec& job, const local_model& part, const numerics::options& how, log_sink& log,
                                std::vector<double>* temperature_K) {
  if (job.groups.of<condition_keys>().transient) return run_flow_transient(job, part, how, log);
  const MPI_Comm comm = part.where.comm;
  through_problem problem;
  temperature_problem heat;
  std::vector<std::size_t> table_of;
  comm::collectively(comm, [&] { problem = make_through_problem(job, part, table_of); });
  add_solid_labels(job, part, table_of, problem);
  comm::collectively(comm, [&] {
    if (job.groups.of<flow_keys>().heat)
      heat = make_temperature_problem(job, part, problem.cells, problem.boundaries, table_of);
  });
  through_options options = through_options_of(how);
  options.faces_of_all = job.groups.of<flow_keys>().heat;
  options.carry = keep_mass;
  options.faces = job.groups.of<flow_keys>().heat || job.groups.of<flow_keys>().residence_time;
  std::optional<probes> watching;
  if (!job.groups.of<probe_keys>().probes.empty()) {
    watching.emplace(job, part, problem.cells, job.groups.of<flow_keys>().heat);
    options.watch = &watching->watch();
  }
  std::vector<buoyant_solution> convection;
  if (problem.is_buoyant) convection = solve_buoyancy(job, problem, heat, how, options, log);
  through_solution solution = problem.is_buoyant ? flows_of(convection) : solve_flow_through(problem, options, log);
  physics_result result;
  result.elements = part.cells.size();
  comm::all_reduce(comm, &result.elements, 1, MPI_SUM);
  std::vector<numerics::solve_certificate> certificates;
  for (const through_flow& flow : solution.flows) certificates.push_back(flow.certificate);
  result.certificate = numerics::joint_certificate(certificates);

  const std::vector<std::string> names = names_of_openings(job, problem, table_of);
  const through_flow& last = solution.flows.back();
  const flow_keys& f = job.groups.of<flow_keys>();
  result.answers = answers_of_flow(last, names, f, problem.periodic);
  if (f.heat && !problem.is_buoyant) result.answers["flux_correction"] = last.faces_change;
  tell_of_upwinding(job, last, result.answers, log);
  if (!f.multiples.empty()) {
    result.answers["flows"] = json::array();
    for (const through_flow& flow : solution.flows) {
      json one = {{"multiple", flow.multiple}};
      one.update(answers_of_flow(flow, names, f, problem.periodic));
      one["iterations"] = flow.certificate.iterations;
      result.answers["flows"].push_back(one);
    }
  }
  if (const auto fit = fit_forchheimer(job, part, solution.flows)) {
    result.answers["forchheimer_permeability_m2"] = fit->permeability_m2;
    result.answers["forchheimer_beta_per_m"] = fit->beta_per_m;
    result.answers["forchheimer_error"] = fit->error;
  }
  tell_of_fluid(solution, result.answers);
  result.stopped_at = state_of(last, f.inertia);
  show_flow(result, job, part, problem.cells, std::move(solution.velocity_mm_per_s), std::move(solution.pressure_Pa),
            std::nullopt);
  cell_values shear;
  comm::collectively(comm, [&] { shear = spread_over(part, problem.cells, std::move(solution.wall_shear_Pa), 1); });
  result.fields.push_back({wall_shear_info(), [&part, shear] { return cell_planes(part, shear, 1); }});
  if (f.heat && (problem.is_buoyant || result.certificate.converged)) {
    const shown_field speed = shown_of(result);
    probes* const watched = watching ? &*watching : nullptr;
    if (problem.is_buoyant) {
      tell_buoyancy(result, job, part, heat, convection, solution, names, log, watched);
      if (temperature_K) *temperature_K = std::move(convection.back().heat.temperature_K);
    } else {
      add_flow_temperature(result, job, part, std::move(heat), solution, names, how, log, temperature_K, watched);
    }
    if (job.picture.field == "speed") show(result, speed);
  }
  if (f.residence_time && result.certificate.converged) add_flow_residence(result, job, part, problem, solution, how, log);
  if (watching) watching->finish(result, log);
  result.answers["load"] = through_load(job, part);
  result.scene.boundaries = openings_of_load(result.answers);
  return result;
}

void check_flow_through_on(const spec& job, const local_model& part) {
  if (job.groups.of<condition_keys>().transient) return check_flow_transient_on(job, part);
  std::vector<std::size_t> table_of;
  through_problem problem = make_through_problem(job, part, table_of);
  add_solid_labels(job, part, table_of, problem);
  check_flow_through(problem, through_options_of({}));
  if (!job.groups.of<probe_keys>().probes.empty()) place_probes(job, part, problem.cells, job.groups.of<flow_keys>().heat);
  if (job.groups.of<flow_keys>().heat)
    check_flow_temperature(make_temperature_problem(job, part, problem.cells, problem.boundaries, table_of));
}

}  // namespace osteon::physics
