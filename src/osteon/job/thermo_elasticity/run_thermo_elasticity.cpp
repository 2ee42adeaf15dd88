#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/release.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/elasticity/elastic_fields.hpp>
#include <osteon/job/elasticity/elastic_problem.hpp>
#include <osteon/job/elasticity/standard_tests.hpp>
#include <osteon/job/heat/heat_case.hpp>
#include <osteon/job/thermo_elasticity/thermo_elasticity.hpp>
#include <osteon/solve/elasticity/elasticity_check.hpp>
#include <osteon/solve/elasticity/thermal_load.hpp>
#include <osteon/solve/post/reactions.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Coefficients by the number that the model gave the job's materials: void, then the materials in their order.
std::vector<double> expansion_per_K(const spec& job, const local_model& part) {
  std::vector<double> values(part.header.materials.size(), 0.0);
  for (std::size_t n = 0; n < job.materials.size() && n + 1 < values.size(); ++n)
    values[n + 1] = job.materials[n].thermal_expansion_per_K.value_or(0);
  return values;
}

json range_of(MPI_Comm comm, const std::vector<double>& values, std::int64_t all) {
  double sum = 0, ends[2] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double v : values) {
    sum += v;
    ends[0] = std::max(ends[0], -v);
    ends[1] = std::max(ends[1], v);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, comm);
  return {{"mean", sum / static_cast<double>(all)}, {"low", -ends[0]}, {"high", ends[1]}};
}

json heat_certificate_of(const solve::solve_certificate& certificate) {
  return {{"dofs", certificate.unknowns},
          {"iterations", certificate.iterations},
          {"restarts", certificate.restarts},
          {"true_relative_residual", certificate.true_relative_residual},
          {"reaction_imbalance", certificate.reaction_imbalance},
          {"energy_identity_error", certificate.energy_identity_error},
          {"converged", certificate.converged}};
}

// Hold the body between plates or, if it is to expand freely, against rigid motions only. A fault of the supports is told
// before the temperatures are solved for. @return what the plates measure @collective
std::optional<measure> hold(const spec& job, const local_model& part, solve::elasticity_problem& problem) {
  constexpr std::string_view remedy = "keep less (segment.keep = \"largest\")";
  std::optional<measure> plates;
  if (job.load.test.value_or("axial_bonded") == "axial_bonded") {
    const node_sets sets(job, part, problem.nodes);
    load_spec load = job.load;
    load.strain = load.strain.value_or(0);
    standard_test test = make_test(sets, load, "axial_bonded");
    problem.fixed = prescribe(sets, test.supports);
    plates = std::move(test.what);
    require_supported(problem, part.header.origin_mm, remedy);
  } else {
    problem.fixed = solve::support_of_a_voxel(problem);
    require_supported(problem, part.header.origin_mm, remedy);
    problem.fixed = solve::determinate_support(problem);
  }
  solve::check_elasticity(problem);
  return plates;
}

// Solve the heat problem; its answers and fields go to `result`. @return temperature of each active cell [K]
// @collective
std::vector<double> solve_temperatures(const spec& job, const local_model& part, const solve::options& how,
                                       physics_result& result, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  if (job.load.low_K == job.load.high_K) {  // no heat flows, so there is nothing to solve
    std::vector<double> uniform;
    comm::collectively(comm, [&] {
      uniform.assign(static_cast<std::size_t>(part.cells.size()), job.load.low_K);
      result.fields = heat_fields(part, share({uniform.begin(), uniform.end()}), share(std::vector<float>(uniform.size())));
    });
    result.earlier_proof.emplace().converged = true;
    result.answers = {{"temperature_K", range_of(comm, uniform, result.elements)}, {"flux_W", 0.0}};
    return uniform;
  }
  solve::heat_problem problem;
  comm::collectively(comm, [&] { problem = make_heat_problem(job, part, "conduction"); });
  solve::heat_solution solution = solve::solve_heat(problem, how, log);
  result.earlier_proof = solution.certificate;
  result.answers = {{"temperature_K", range_of(comm, solution.temperature_K, result.elements)},
                    {"flux_W", std::abs(solution.inflow_W[static_cast<std::size_t>(load_axis(job))][1])}};
  result.fields = heat_fields(part, share({solution.temperature_K.begin(), solution.temperature_K.end()}),
                              share(solve::heat_flux_density(problem, solution.temperature_K)));
  return std::move(solution.temperature_K);
}

}  // namespace

physics_result run_thermo_elasticity(const spec& job, const local_model& part, const solve::options& how, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  physics_result result;
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, comm);

  const axis along = load_axis(job);
  const auto problem = make_problem(part);
  const std::optional<measure> plates = hold(job, part, *problem);
  const bool bonded = plates.has_value();

  log.note("temperatures");
  std::vector<double> temperature_K = solve_temperatures(job, part, how, result, log);

  log.note("displacements");
  std::vector<double> strain;
  solve::elasticity_load load;
  comm::collectively(comm, [&] {
    strain = solve::thermal_strain(*problem, temperature_K, expansion_per_K(job, part), *job.load.reference_K);
    release(temperature_K);
    load.forces = solve::thermal_forces(*problem, strain);
  });
  solve::elasticity_solution solution = solve::elasticity_solver(*problem, how, log).solve_last(load);
  result.certificate = solution.certificate;

  if (plates) {
    const vector3 force = solve::resultant(*problem, solution, plates->driven->nodes).force_N;
    result.answers["reaction_N"] = {force.z, force.y, force.x};
    result.answers["apparent_stress_MPa"] = force[static_cast<int>(along)] / cross_section_mm2(part.header, along);
  }
  derived_fields state;
  comm::collectively(comm, [&] { state = derive_fields(problem, std::move(solution.displacement_mm), std::move(strain)); });
  result.answers.update(statistics_of(comm, state));
  result.answers["heat_certificate"] = heat_certificate_of(*result.earlier_proof);
  result.answers["load"] = {{"test", bonded ? "axial_bonded" : "free_expansion"},
                            {"axis", job.load.axis},
                            {"low_K", job.load.low_K},
                            {"high_K", job.load.high_K},
                            {"reference_K", *job.load.reference_K},
                            {"length_mm", length_mm(part.header, along)},
                            {"cross_section_mm2", cross_section_mm2(part.header, along)}};
  if (plates) {
    result.answers["load"]["strain"] = job.load.strain.value_or(0);
    result.answers["load"]["displacement_mm"] = plates->amount;
  }

  if (auto table = by_material(part, state); !table.is_null()) result.answers["by_material"] = std::move(table);
  show(result, part, job.picture.field.value_or("sed"), state);
  for (result_field& field : elastic_fields(part, job.output_fields.value_or(default_elastic_fields()), state))
    result.fields.push_back(std::move(field));
  return result;
}

void check_thermo_elasticity(const spec& job, const local_model& part) {
  hold(job, part, *make_problem(part));
  if (job.load.low_K != job.load.high_K) solve::check_heat(make_heat_problem(job, part, "conduction"));
}

}  // namespace osteon::job
