#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/elasticity/describe_loads.hpp>
#include <osteon/job/elasticity/elastic_fields.hpp>
#include <osteon/job/elasticity/elastic_problem.hpp>
#include <osteon/job/elasticity/elasticity.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/solve/elasticity/elasticity.hpp>
#include <osteon/solve/elasticity/elasticity_check.hpp>
#include <osteon/solve/joint_certificate.hpp>
#include <osteon/solve/post/field_statistics.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// What is read off the solution of a load case.
struct case_result {
  solve::solve_certificate certificate;
  json answers;
  derived_fields state;
  std::vector<double> reaction_N;  ///< only if the source of the model takes it
};

case_result read_case(const spec& job, const local_model& part,
                      const std::shared_ptr<const solve::elasticity_problem>& problem, const load_case& what,
                      solve::elasticity_solution solution) {
  const MPI_Comm comm = part.where.comm;
  case_result result;
  result.certificate = solution.certificate;
  const load_answers loads = read_loads(what, *problem, part.header.origin_mm, solution);
  if (source_of(job).takes_reactions()) result.reaction_N = std::move(solution.reaction_N);
  comm::collectively(comm, [&] { result.state = derive_fields(problem, std::move(solution.displacement_mm)); });
  const derived_fields& state = result.state;
  const auto failure = solve::pistoia(comm, *state.effective_strain, loads.load.value_or(0), job.pistoia.critical_strain,
                                      job.pistoia.critical_volume);
  json& answers = result.answers = loads.keys;
  answers.update(statistics_of(comm, state));
  if (wants_principal_strain(job)) answers["principal_strain_1"] = statistics_of_principal_strain(comm, state);
  answers["pistoia"] = {{"critical_strain", job.pistoia.critical_strain},
                        {"critical_volume", job.pistoia.critical_volume},
                        {"factor", failure.factor}};
  if (std::isinf(failure.factor) && loads.load.value_or(0) == 0)  // a motion that strains nothing has no failure load
    answers["pistoia"]["factor"] = nullptr;
  else if (loads.load)
    answers["pistoia"][loads.is_moment ? "failure_moment_N_mm" : "failure_load_N"] = failure.failure_load_N;
  if (auto table = by_material(part, state); !table.is_null()) answers["by_material"] = std::move(table);
  return result;
}

// The fields of a case; their names end in that of the case.
std::vector<result_field> fields_of(const spec& job, const local_model& part, const load_case& what,
                                    const derived_fields& state) {
  auto fields = elastic_fields(part, job.output_fields.value_or(default_elastic_fields()), state);
  if (!what.name.empty())
    for (result_field& field : fields) {
      field.info.name += "_" + what.name;
      field.info.long_name += ", case " + what.name;
    }
  return fields;
}

// Solve the cases in groups that share a solver.
std::vector<case_result> solve_cases(const spec& job, const local_model& part,
                                     std::shared_ptr<solve::elasticity_problem> problem, const std::vector<load_case>& cases,
                                     const solve::options& how, log_sink& log) {
  std::vector<case_result> results(cases.size());
  const auto groups = group_by_supports(part.where.comm, cases);
  if (cases.size() > 1)
    log.note(fmt::format("{} load cases hold {} different sets of displacements: the solver is set up {} times",
                         cases.size(), groups.size(), groups.size()));
  // All faults come before the first solution, which may take hours.
  for (const std::vector<std::size_t>& group : groups) {
    problem->fixed = cases[group.front()].fixed;
    require_supported(*problem, part.header.origin_mm);
    solve::check_elasticity(*problem);
    comm::collectively(part.where.comm, [&] {
      for (const std::size_t c : group) solve::check_load(*problem, load_of(cases[c]));
    });
  }
  for (const std::vector<std::size_t>& group : groups) {
    problem->fixed = cases[group.front()].fixed;
    solve::elasticity_solver solver(*problem, how, log);
    for (const std::size_t c : group) {
      if (!cases[c].name.empty()) log.note(fmt::format("load case '{}': {}", cases[c].name, cases[c].test));
      const solve::elasticity_load load = load_of(cases[c]);
      auto solution = c == group.back() ? solver.solve_last(load) : solver.solve(load);
      results[c] = read_case(job, part, problem, cases[c], std::move(solution));
    }
  }
  return results;
}

json certificate_of(const solve::solve_certificate& certificate) {
  return {{"iterations", certificate.iterations},
          {"true_relative_residual", certificate.true_relative_residual},
          {"reaction_imbalance", certificate.reaction_imbalance},
          {"moment_imbalance", certificate.moment_imbalance},
          {"energy_identity_error", certificate.energy_identity_error},
          {"converged", certificate.converged},
          {"solve_seconds", certificate.solve_seconds}};
}

}  // namespace

physics_result run_elasticity(const spec& job, const local_model& part, const solve::options& how, log_sink& log) {
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  const std::vector<load_case> cases = make_cases(sets, log);
  std::vector<case_result> solved = solve_cases(job, part, problem, cases, how, log);

  physics_result result;
  std::vector<solve::solve_certificate> certificates;
  for (const case_result& r : solved) certificates.push_back(r.certificate);
  result.certificate = solve::joint_certificate(certificates);
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, part.where.comm);
  result.answers = solved.front().answers;  // of several cases the first is the one of the picture and of the table
  show(result, job, part, solved.front().state);
  if (!job.cases.empty()) result.shown_name += "_" + cases.front().name;
  for (std::size_t c = 0; c < solved.size(); ++c) {
    auto fields = fields_of(job, part, cases[c], solved[c].state);
    std::move(fields.begin(), fields.end(), std::back_inserter(result.fields));
    if (job.cases.empty()) continue;
    json entry = {{"name", cases[c].name}};
    entry.update(solved[c].answers);
    entry["certificate"] = certificate_of(solved[c].certificate);
    result.answers["cases"].push_back(std::move(entry));
  }
  std::vector<json> told;
  for (const case_result& r : solved) told.push_back(r.answers);
  result.scene = describe_loads(sets, cases, told);
  result.write_more = source_of(job).writer_of(job, part, solved.front().state, std::move(solved.front().reaction_N));
  return result;
}

}  // namespace osteon::job
