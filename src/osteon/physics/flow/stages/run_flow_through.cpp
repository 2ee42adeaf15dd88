#include <osteon/physics/flow/stages/run_flow_through.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/probes/probes.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <osteon/physics/flow/solver/transport/residence_time.hpp>
#include <osteon/physics/flow/stages/buoyancy.hpp>
#include <osteon/physics/flow/stages/flow_heat.hpp>
#include <osteon/physics/flow/stages/run_flow_transient.hpp>
#include <osteon/physics/flow/stages/solid_labels.hpp>
#include <osteon/physics/flow/stages/through_answers.hpp>
#include <osteon/physics/flow/stages/through_problem.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

namespace {

// Fit of drop / (length velocity) = viscosity / K + beta density velocity. The fit minimises the squares of relative
// residuals.
struct forchheimer_fit {
  double permeability_m2 = 0, beta_per_m = 0, error = 0;
};

// Forchheimer fit of flow.multiples. The result is empty for creeping flow, for fewer than two flows, and for buoyancy.
std::optional<forchheimer_fit> fit_forchheimer(const spec& job, const local_model& part,
                                               const std::vector<through_flow>& flows) {
  const flow_keys& f = job.groups.of<flow_keys>();
  if (!f.inertia || f.expansion_per_K || flows.size() < 2) return std::nullopt;  // with buoyancy, heat also drives the flow
  const double length_m = 1e-3 * length_mm(part.header, load_axis(job)),
               section_mm2 = cross_section_mm2(part.header, load_axis(job));
  double ss = 0, sv = 0, vv = 0, s = 0, v = 0;
  std::vector<std::array<double, 2>> points;  // pairs of velocity and resistance
  for (const through_flow& flow : flows) {
    const double velocity = 1e-3 * flow.inflow_mm3_per_s / section_mm2;
    if (!flow.certificate.converged || velocity <= 0 || flow.pressure_drop_Pa <= 0) continue;
    points.push_back({velocity, flow.pressure_drop_Pa / (length_m * velocity)});
  }
  if (points.size() < 2) return std::nullopt;
  // The unknowns of the fit are a and b of a + b velocity. Each equation is divided by its resistance.
  for (const auto& [velocity, resistance] : points) {
    const double p = 1 / resistance, q = velocity / resistance;
    ss += p * p, sv += p * q, vv += q * q, s += p, v += q;
  }
  const double determinant = ss * vv - sv * sv;
  if (!(determinant > 1e-12 * ss * vv)) return std::nullopt;
  const double a = (vv * s - sv * v) / determinant, b = (ss * v - sv * s) / determinant;
  forchheimer_fit fit{f.viscosity_Pa_s / a, b / f.density_kg_per_m3, 0};
  for (const auto& [velocity, resistance] : points)
    fit.error = std::max(fit.error, std::abs((a + b * velocity) / resistance - 1));
  return fit;
}

using json = nlohmann::ordered_json;

constexpr double mm2_in_m2 = 1e6;

json distribution_json(const age_distribution& d) { return {{"mean", d.mean}, {"median", d.median}, {"p95", d.p95}}; }

// Add the mean age of the fluid to the answers and the fields. If the picture displays the age, also add the age to the
// picture.
// @param flow flow that has face velocities @collective on part.where.comm
void add_flow_residence(physics_result& result, const spec& job, const local_model& part, const through_problem& problem,
                        const through_solution& flow, const numerics::options& solver_options, log_sink& log) {
  log.note("residence time");
  residence_problem ages;
  comm::collectively(part.where.comm, [&] {
    ages.where = part.where;
    ages.spacing_mm = problem.spacing_mm;
    ages.fluid = problem.cells;
    ages.openings = problem.boundaries;
    for (flow_boundary& b : ages.openings) b.value *= flow.flows.back().multiple;
    ages.face_velocity_mm_per_s = flow.face_velocity_mm_per_s;
    ages.diffusivity_mm2_per_s = mm2_in_m2 * job.groups.of<flow_keys>().self_diffusivity();
  });
  numerics::options exact = solver_options;
  exact.tolerance = std::min(solver_options.tolerance, 1e-6);  // the tolerance of a flow may be larger
  residence_solution s = solve_residence_time(ages, exact, log);
  if (!result.earlier_proof || result.earlier_proof->converged) {
    if (!s.certificate.converged) {
      result.earlier_proof = s.certificate;
      result.stopped_at = fmt::format("a residence time residual of {:.2e}", s.certificate.true_relative_residual);
    }
  }
  json& answers = result.answers;
  answers["residence_time_s"] = distribution_json(s.leaving);
  answers["fluid_age_s"] = distribution_json(s.inside);
  answers["fluid_age_s"]["high"] = s.inside.high;
  answers["stagnant_share"] = s.stagnant_share;
  answers["residence_certificate"] = certificate_of_stage(s.certificate);
  cell_values age;
  comm::collectively(part.where.comm, [&] { age = spread_over(part, problem.cells, std::move(s.age_s), 1); });
  result.fields.push_back({{"residence_time", "mean age of the fluid", "s", io::centring::cell, 1},
                           [&part, age] { return cell_planes(part, age, 1); }});
  if (shown_field_of_flow(job) != flow_field::residence_time) return;
  show(result,
       {job.picture.enabled ? age : result.shown, "residence_time", "mean age of the fluid", "s", 0, s.inside.p95, true});
}

// Text about a flow that has missed the tolerance.
std::string state_of(const through_flow& flow, bool has_inertia) {
  std::vector<std::string> steps;
  for (const double s : flow.steady_history) steps.push_back(fmt::format("{:.1e}", s));
  constexpr std::size_t most = 12;
  const bool is_long = steps.size() > most;
  if (is_long) steps.erase(steps.begin(), steps.end() - most);
  return fmt::format("a relative error of {:.2e} (after each step: {}{}{})",
                     flow.steady_history.empty() ? 1 : flow.steady_history.back(), is_long ? "..., " : "",
                     fmt::join(steps, ", "),
                     has_inertia ? "; without convergence, the flow is probably transient at this velocity" : "");
}

}  // namespace

physics_result run_flow_through(const spec& job, const local_model& part, const numerics::options& solver_options,
                                log_sink& log, std::vector<double>* temperature_K) {
  if (job.groups.of<condition_keys>().transient) return run_flow_transient(job, part, solver_options, log);
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
  through_options options = through_options_of(solver_options);
  options.faces_of_all = job.groups.of<flow_keys>().heat;
  options.carry = keep_mass;
  options.faces = job.groups.of<flow_keys>().heat || job.groups.of<flow_keys>().residence_time;
  std::optional<probes> watching;
  if (!job.groups.of<probe_keys>().probes.empty()) {
    watching.emplace(job, part, problem.cells, job.groups.of<flow_keys>().heat);
    options.watch = &watching->watch();
  }
  std::vector<buoyant_solution> convection;
  if (problem.is_buoyant) convection = solve_buoyancy(job, problem, heat, solver_options, options, log);
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
  warn_of_upwinding(job, last, result.answers, log);
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
  report_fluid(solution, result.answers);
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
      report_buoyancy(result, job, part, heat, convection, solution, names, log, watched);
      if (temperature_K) *temperature_K = std::move(convection.back().heat.temperature_K);
    } else {
      add_flow_temperature(result, job, part, std::move(heat), solution, names, solver_options, log, temperature_K, watched);
    }
    if (shown_field_of_flow(job) == flow_field::speed) show(result, speed);
  }
  if (f.residence_time && result.certificate.converged)
    add_flow_residence(result, job, part, problem, solution, solver_options, log);
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
