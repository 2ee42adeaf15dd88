#include <algorithm>
#include <cmath>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/heat/heat_case.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/thermo_elasticity/entry.hpp>
#include <osteon/physics/thermo_elasticity/flow_stress.hpp>
#include <osteon/physics/thermo_elasticity/thermal_stress.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

json range_of(MPI_Comm comm, const std::vector<double>& values, std::int64_t all) {
  const double sum = comm::sum_over_ranks(comm, std::accumulate(values.begin(), values.end(), 0.0));
  const auto [low, high] = extremes(comm, values);
  return {{"mean", sum / static_cast<double>(all)}, {"low", low}, {"high", high}};
}

// Solve the heat problem. Add the answers and the fields to `result`. @return temperature of each active cell [K]
// @collective
std::vector<double> solve_temperatures(const spec& job, const local_model& part, const numerics::options& options,
                                       physics_result& result, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  if (job.groups.of<condition_keys>().low_K == job.groups.of<condition_keys>().high_K) {  // the temperature is uniform
    std::vector<double> uniform;
    comm::collectively(comm, [&] {
      uniform.assign(at(part.cells.size()), job.groups.of<condition_keys>().low_K);
      result.fields = heat_fields(part, share({uniform.begin(), uniform.end()}), share(std::vector<float>(uniform.size())));
    });
    result.earlier_proof.emplace().converged = true;
    result.answers = {{"temperature_K", range_of(comm, uniform, result.elements)}, {"flux_W", 0.0}};
    return uniform;
  }
  numerics::heat_problem problem;
  comm::collectively(comm, [&] { problem = make_heat_problem(job, part, heat_test::conduction); });
  heat_solution solution = solve_heat(problem, options, log);
  result.earlier_proof = solution.certificate;
  result.answers = {{"temperature_K", range_of(comm, solution.temperature_K, result.elements)},
                    {"flux_W", std::abs(solution.inflow_W[static_cast<std::size_t>(load_axis(job))][1])}};
  result.fields = heat_fields(part, share({solution.temperature_K.begin(), solution.temperature_K.end()}),
                              share(heat_flux_density(problem, solution.temperature_K)));
  return std::move(solution.temperature_K);
}

}  // namespace

physics_result run_thermo_elasticity(const spec& job, const local_model& part, const numerics::options& options,
                                     log_sink& log) {
  if (has_flow_stage(job)) return run_flow_stress(job, part, options, log);
  const MPI_Comm comm = part.where.comm;
  physics_result result;
  result.elements = comm::sum_over_ranks(comm, part.cells.size());

  const axis along = load_axis(job);
  const auto problem = make_problem(part);
  const std::optional<measure> plates = add_thermal_supports(job, part, *problem);
  const bool bonded = plates.has_value();

  log.note("temperatures");
  std::vector<double> temperature_K = solve_temperatures(job, part, options, result, log);

  const derived_fields state =
      add_thermal_stress(result, job, part, problem, plates, std::move(temperature_K), options, log);
  result.answers["heat_certificate"] = certificate_of_stage(*result.earlier_proof);
  result.answers["load"] = {
      {"test", name_of(bonded ? thermo_elastic_test::axial_bonded : thermo_elastic_test::free_expansion)},
      {"axis", job.load.axis.name()},
      {"low_K", job.groups.of<condition_keys>().low_K},
      {"high_K", job.groups.of<condition_keys>().high_K},
      {"reference_K", *job.groups.of<thermo_elastic_keys>().reference_K},
      {"length_mm", length_mm(part.header, along)},
      {"cross_section_mm2", cross_section_mm2(part.header, along)}};
  if (plates) {
    result.answers["load"]["strain"] = job.groups.of<mechanical_keys>().drive.strain.value_or(0);
    result.answers["load"]["displacement_mm"] = plates->amount;
  }

  if (auto table = by_material(part, state); !table.is_null()) result.answers["by_material"] = std::move(table);
  show(result, job, part, state);
  for (result_field& field : elastic_fields(part, fields_of_job(job), state)) result.fields.push_back(std::move(field));
  return result;
}

void check_thermo_elasticity(const spec& job, const local_model& part) {
  if (has_flow_stage(job)) return check_flow_stress_on(job, part, null_log());
  add_thermal_supports(job, part, *make_problem(part));
  if (job.groups.of<condition_keys>().low_K != job.groups.of<condition_keys>().high_K)
    check_heat(make_heat_problem(job, part, heat_test::conduction));
}

}  // namespace osteon::physics
