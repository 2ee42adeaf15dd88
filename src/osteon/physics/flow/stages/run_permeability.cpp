#include <osteon/physics/flow/stages/run_permeability.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/solver/dispersion/dispersion.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <osteon/physics/flow/stages/through_answers.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double mm2_per_m2 = 1e6;

json rows_of(const std::array<std::array<double, 3>, 3>& tensor, double unit) {
  json rows = json::array();
  for (const auto& row : tensor) rows.push_back({unit * row[0], unit * row[1], unit * row[2]});
  return rows;
}

// Compute dispersion in the flow along the axis of the job. Add the answers and the certificate to `result`.
// @param flow solution with face velocities for the direction of the axis only @collective on problem.where.comm
void add_dispersion(physics_result& result, const spec& job, const flow_problem& problem, const flow_solution& flow,
                    const numerics::options& solver_options, log_sink& log) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const flow_direction& along = flow.directions.front();
  if (!along.percolates || !along.certificate.converged) return;
  dispersion_problem carried;
  carried.where = problem.where;
  carried.spacing_mm = problem.spacing_mm;
  carried.cells = problem.cells;
  carried.along = along.along;
  carried.is_mirrored = problem.surroundings == flow_surroundings::mirrored;
  carried.face_velocity_mm_per_s = along.face_velocity_mm_per_s;
  carried.peclet_numbers = f.peclet_numbers;
  carried.length_mm = f.peclet_length_mm.value_or(flow.hydraulic_diameter_mm);
  const double diffusivity_mm2_per_s = mm2_per_m2 * f.diffusivity_m2_per_s.value_or(0);
  if (carried.peclet_numbers.empty())
    carried.peclet_numbers = {along.mean_velocity_mm_per_s * carried.length_mm / diffusivity_mm2_per_s};
  numerics::options exact = solver_options;
  exact.tolerance = std::min(solver_options.tolerance, 1e-6);  // the tolerance of a permeability may be larger
  const dispersion_solution found = solve_dispersion(carried, exact, log);

  const auto axis = static_cast<std::size_t>(along.along), one = (axis + 1) % 3, two = (axis + 2) % 3;
  json& answers = result.answers;
  answers["peclet_length_mm"] = carried.length_mm;
  answers["flux_correction"] = along.faces_change;
  answers["dispersion"] = json::array();
  std::vector<numerics::solve_certificate> certificates;
  for (const dispersion_tensor& t : found.tensors) {
    const auto& d = t.over_diffusivity;
    json entry = {{"peclet_number", t.peclet_number},
                  {"longitudinal", d[axis][axis]},
                  {"transverse", (d[one][one] + d[two][two]) / 2},
                  {"tensor", rows_of(d, 1)},
                  {"cell_peclet_number", t.cell_peclet_number},
                  {"iterations", t.certificate.iterations},
                  {"energy_identity_error", t.certificate.energy_identity_error}};
    if (f.diffusivity_m2_per_s) {
      entry["mean_velocity_mm_per_s"] = t.peclet_number * diffusivity_mm2_per_s / carried.length_mm;
      entry["tensor_m2_per_s"] = rows_of(d, *f.diffusivity_m2_per_s);
    }
    answers["dispersion"].push_back(entry);
    certificates.push_back(t.certificate);
  }
  const json& last = answers["dispersion"].back();
  for (const char* key : {"peclet_number", "cell_peclet_number"}) answers[key] = last[key];
  answers["longitudinal_dispersion"] = last["longitudinal"];
  answers["transverse_dispersion"] = last["transverse"];
  if (f.diffusivity_m2_per_s)
    answers["longitudinal_dispersion_m2_per_s"] = *f.diffusivity_m2_per_s * last["longitudinal"].get<double>();
  result.earlier_proof = numerics::joint_certificate(certificates);
  if (!result.earlier_proof->converged)
    result.stopped_at = fmt::format(
        "a dispersion residual of {:.2e} at Peclet number {:.3g} (voxel Peclet number {:.3g}); use smaller voxels or lower "
        "Peclet numbers",
        result.earlier_proof->true_relative_residual, found.tensors.back().peclet_number,
        found.tensors.back().cell_peclet_number);
  constexpr double coarse = 10;
  if (found.tensors.back().cell_peclet_number > coarse)
    log.warn(
        fmt::format("voxel Peclet number {:.3g}: layers at walls and behind grains are thinner than a voxel, so that "
                    "dispersion depends on the voxel size; compare with a finer image",
                    found.tensors.back().cell_peclet_number));
}

constexpr double m2_per_mm2 = 1e-6, m2_per_darcy = 9.869233e-13;

outer_condition condition_of(const spec& job) { return job.load.boundary_condition.value_or(outer_condition::periodic); }

}  // namespace

flow_problem make_flow_problem(const spec& job, const local_model& part) {
  const flow_keys& f = job.groups.of<flow_keys>();
  flow_problem problem;
  problem.where = part.where;
  problem.spacing_mm = part.header.spacing_mm;
  problem.cells = part.cells;
  const outer_condition condition = condition_of(job);
  problem.surroundings = condition == outer_condition::mirrored ? flow_surroundings::mirrored
                         : condition == outer_condition::closed ? flow_surroundings::closed
                                                                : flow_surroundings::periodic;
  problem.directions = {load_axis(job)};
  if (test_of_flow(job) == flow_test::permeability_tensor) problem.directions = {axis::z, axis::y, axis::x};
  problem.viscosity_Pa_s = f.viscosity_Pa_s;
  problem.density_kg_per_m3 = f.density_kg_per_m3;
  problem.pressure_drop_Pa = f.pressure_drop_Pa.value_or(1);
  return problem;
}

namespace {

flow_options options_of(const spec& job, const numerics::options& solver_options) {
  flow_options options;
  options.permeability_tolerance = solver_options.tolerance;
  if (test_of_flow(job) == flow_test::dispersion) {
    options.carry = keep_mass;
    // The tolerance of the permeability alone is not sufficient. The permeability is more accurate than the velocities,
    // which transport the solute.
    options.residual_tolerance = solver_options.tolerance;
  }
  options.max_iterations = solver_options.max_iterations;
  if (solver_options.checkpoints) options.poll = [&solver_options] { solver_options.checkpoints->pass(); };
  return options;
}

json in_m2(const std::array<std::array<double, 3>, 3>& tensor_mm2) {
  json rows = json::array();
  for (const auto& row : tensor_mm2) rows.push_back({row[0] * m2_per_mm2, row[1] * m2_per_mm2, row[2] * m2_per_mm2});
  return rows;
}

json answers_of(const spec& job, const local_model& part, const flow_solution& solution) {
  const flow_counts& counts = solution.counts;
  json answers;
  if (test_of_flow(job) == flow_test::permeability_tensor) {
    json principal = json::array();
    for (const double k : solution.principal_mm2) principal.push_back(k * m2_per_mm2);
    answers = {{"percolates_along", json::object()},
               {"permeability_tensor_m2", in_m2(solution.tensor_mm2)},
               {"principal_permeabilities_m2", principal},
               {"principal_directions", solution.principal_direction},
               {"asymmetry", solution.asymmetry}};
    for (const flow_direction& d : solution.directions)
      answers["percolates_along"][std::string(1, "zyx"[static_cast<std::size_t>(d.along)])] = d.percolates;
  } else {
    const flow_direction& d = solution.directions.front();
    const double k = d.permeability_mm2 * m2_per_mm2;
    answers = {{"percolates", d.percolates}, {"permeability_m2", k}, {"permeability_darcy", k / m2_per_darcy}};
    if (d.percolates) {
      const flow_keys& f = job.groups.of<flow_keys>();
      answers["permeability_error"] = (d.high_mm2 - d.low_mm2) / d.permeability_mm2;
      answers["permeability_bounds_m2"] = {d.low_mm2 * m2_per_mm2, d.high_mm2 * m2_per_mm2};
      answers["permeability_from_flux_m2"] = d.from_flux_mm2 * m2_per_mm2;
      answers["permeability_from_dissipation_m2"] = d.from_dissipation_mm2 * m2_per_mm2;
      answers["flow_rate_mm3_per_s"] = d.permeability_mm2 / f.viscosity_Pa_s * f.pressure_drop_Pa.value_or(1) *
                                       cross_section_mm2(part.header, d.along) / length_mm(part.header, d.along);
      answers["mean_velocity_mm_per_s"] = d.mean_velocity_mm_per_s;
      answers["reynolds_number"] = d.reynolds_number;
    }
  }
  answers["porosity"] = counts.porosity();
  answers["flowing_share"] = static_cast<double>(counts.flowing) / static_cast<double>(counts.fluid);
  if (counts.flowing > 0) {
    answers["thin_share"] = counts.thin_share();
    answers["hydraulic_diameter_mm"] = solution.hydraulic_diameter_mm;
  }
  answers["fluid"] = describe(counts);
  return answers;
}

json flow_load(const spec& job, const local_model& part) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const axis along = load_axis(job);
  return {{"test", name_of(test_of_flow(job))},
          {"axis", job.load.axis.name()},
          {"boundary_condition", name_of(condition_of(job))},
          {"viscosity_Pa_s", f.viscosity_Pa_s},
          {"density_kg_per_m3", f.density_kg_per_m3},
          {"pressure_drop_Pa", f.pressure_drop_Pa.value_or(1)},
          {"length_mm", length_mm(part.header, along)},
          {"cross_section_mm2", cross_section_mm2(part.header, along)}};
}

// Text about a direction that has missed the tolerance.
std::string distance_of_bounds(const flow_solution& solution) {
  double worst = 0;
  for (const flow_direction& d : solution.directions)
    if (d.permeability_mm2 != 0) worst = std::max(worst, (d.high_mm2 - d.low_mm2) / std::abs(d.permeability_mm2));
  return fmt::format("permeability bounds with a relative distance of {:.2e}", worst);
}

void warn_of_inertia(const spec& job, const flow_solution& solution, log_sink& log) {
  double highest = 0;
  for (const flow_direction& d : solution.directions)
    if (d.percolates) highest = std::max(highest, d.reynolds_number);
  const flow_keys& f = job.groups.of<flow_keys>();
  const double drop = f.pressure_drop_Pa.value_or(1);
  // By default, the pressure drop is 1 Pa. The pressure drop does not affect the permeability. With the default, a warning
  // is printed only at a high Reynolds number.
  if (highest > (f.pressure_drop_Pa ? 1 : 100) * highest_creeping_reynolds_number)
    log.warn(fmt::format(
        "flow.pressure_drop_Pa: {:g} Pa{} results in a Reynolds number of {:.3g}; the permeability requires creeping flow, "
        "up to a Reynolds number of {:g} ({:.2g} Pa); load.test = \"flow\" with flow.inertia = true includes inertia",
        drop, f.pressure_drop_Pa ? "" : " (the default)", highest, highest_creeping_reynolds_number,
        drop * highest_creeping_reynolds_number / highest));
}

}  // namespace

physics_result run_permeability(const spec& job, const local_model& part, const numerics::options& solver_options,
                                log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  flow_problem problem;
  comm::collectively(comm, [&] { problem = make_flow_problem(job, part); });
  flow_solution solution = solve_permeability(problem, options_of(job, solver_options), log);
  physics_result result;
  result.elements = part.cells.size();
  comm::all_reduce(comm, &result.elements, 1, MPI_SUM);
  std::vector<numerics::solve_certificate> certificates;
  for (const flow_direction& d : solution.directions) certificates.push_back(d.certificate);
  result.certificate = numerics::joint_certificate(certificates);
  result.answers = answers_of(job, part, solution);
  warn_of_inertia(job, solution, log);
  result.stopped_at = distance_of_bounds(solution);
  if (test_of_flow(job) == flow_test::dispersion) add_dispersion(result, job, problem, solution, solver_options, log);
  const auto shown = std::find_if(solution.directions.begin(), solution.directions.end(),
                                  [&](const flow_direction& d) { return d.along == load_axis(job); });
  show_flow(result, job, part, part.cells, std::move(shown->velocity_mm_per_s), std::move(shown->pressure_Pa),
            shown->percolates ? std::optional(shown->along) : std::nullopt);
  result.answers["load"] = flow_load(job, part);
  if (test_of_flow(job) == flow_test::permeability)
    for (const char* end : {"low", "high"})
      result.scene.boundaries.push_back(
          {{"face", job.load.axis.name() + "_" + end},
           {"kind", "pressure"},
           {"pressure_Pa", end == std::string("low") ? result.answers["load"]["pressure_drop_Pa"] : json(0.0)}});
  return result;
}

void check_permeability_on(const spec& job, const local_model& part) {
  check_permeability(make_flow_problem(job, part), options_of(job, {}));
}

}  // namespace osteon::physics
