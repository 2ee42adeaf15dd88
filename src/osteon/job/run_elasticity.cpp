#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <osteon/job/supported.hpp>
#include <osteon/solve/elasticity.hpp>
#include <osteon/solve/post.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Dense node values as result files want them: components x, y, z, NaN where there is no node.
std::vector<float> spread_nodes(const voxel::run_set& nodes, const std::vector<double>& zyx) {
  const index3 shape = nodes.shape();
  std::vector<float> dense(static_cast<std::size_t>(3 * shape.volume()), std::numeric_limits<float>::quiet_NaN());
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const auto from = static_cast<std::size_t>(3 * (static_cast<std::int64_t>(r.first) + i));
      const auto to = static_cast<std::size_t>(3 * ((r.z * shape.y + r.y) * shape.x + r.x + i));
      for (std::size_t c = 0; c < 3; ++c) dense[to + c] = static_cast<float>(zyx[from + 2 - c]);
    }
  return dense;
}

// What is read off the solution of a load case.
struct case_result {
  solve::certificate proof;
  json answers;
  std::vector<result_field> fields;
  std::vector<float> shown;
  double shown_low = 0, shown_high = 1;
};

case_result read_off(const spec& job, const specimen& part, const std::shared_ptr<const solve::elasticity_problem>& problem,
                     const load_case& what, solve::elasticity_solution solution) {
  const MPI_Comm comm = part.where.comm;
  case_result result;
  result.proof = solution.proof;
  const load_answers loads = read_loads(what, *problem, part.header.origin_mm, solution);
  const std::vector<float> sed = solve::strain_energy_density(*problem, solution.displacement_mm);
  const std::vector<float> strain = solve::effective_strain(part.header.materials, problem->material, sed);
  const auto sed_statistics = solve::statistics(comm, sed);
  const auto strain_statistics = solve::statistics(comm, strain);
  const auto failure = solve::pistoia(comm, strain, std::abs(loads.load.value_or(0)), job.pistoia.critical_strain,
                                      job.pistoia.critical_volume);
  result.answers = loads.keys;
  result.answers["sed_MPa"] = {
      {"mean", sed_statistics.mean}, {"p95", sed_statistics.p95}, {"p98", sed_statistics.p98}, {"max", sed_statistics.max}};
  result.answers["effective_strain"] = {{"p98", strain_statistics.p98}};
  result.answers["pistoia"] = {{"critical_strain", job.pistoia.critical_strain},
                               {"critical_volume", job.pistoia.critical_volume},
                               {"factor", failure.factor}};
  if (loads.load)
    result.answers["pistoia"][loads.is_moment ? "failure_moment_N_mm" : "failure_load_N"] = failure.failure_load_N;

  result.shown = sed;
  result.shown_high = sed_statistics.p99 > sed_statistics.median ? sed_statistics.p99 : sed_statistics.max;
  result.shown_low =
      sed_statistics.median < result.shown_high ? sed_statistics.median : 0;  // a uniform field is shown from nothing
  const auto displacement = std::make_shared<std::vector<double>>(std::move(solution.displacement_mm));
  result.fields = {
      {{"displacement", "displacement", "mm", io::centring::node, 3},
       [problem, displacement] { return spread_nodes(problem->nodes, *displacement); }},
      {{"sed", "strain energy density", "MPa", io::centring::cell, 1}, [&part, sed] { return spread_cells(part, sed); }},
      {{"effective_strain", "effective strain, sqrt(2 SED / E)", "1", io::centring::cell, 1},
       [&part, strain] { return spread_cells(part, strain); }}};
  if (!what.name.empty())
    for (result_field& field : result.fields) {
      field.info.name += "_" + what.name;
      field.info.long_name += ", case " + what.name;
    }
  return result;
}

// Solve the cases in groups that share a solver.
std::vector<case_result> solve_cases(const spec& job, const specimen& part,
                                     std::shared_ptr<solve::elasticity_problem> problem, const std::vector<load_case>& cases,
                                     sink& log) {
  const solve::options how{job.solve.tolerance, static_cast<int>(job.solve.max_iterations)};
  std::vector<case_result> results(cases.size());
  const auto groups = group_by_supports(part.where.comm, cases);
  if (cases.size() > 1)
    log.note(fmt::format("{} load cases hold {} different sets of displacements: the solver is set up {} times",
                         cases.size(), groups.size(), groups.size()));
  for (const std::vector<std::size_t>& group : groups) {
    problem->fixed = cases[group.front()].fixed;
    require_supported(*problem, part.header.origin_mm);
    solve::elasticity_solver solver(*problem, how, log);
    for (const std::size_t c : group) {
      if (!cases[c].name.empty()) log.note(fmt::format("load case '{}': {}", cases[c].name, cases[c].test));
      const solve::elastic_load load = load_of(cases[c]);
      auto solution = c == group.back() ? solver.solve_last(load) : solver.solve(load);
      results[c] = read_off(job, part, problem, cases[c], std::move(solution));
    }
  }
  return results;
}

json certificate_of(const solve::certificate& proof) {
  return {{"iterations", proof.iterations},
          {"true_relative_residual", proof.true_relative_residual},
          {"reaction_imbalance", proof.reaction_imbalance},
          {"moment_imbalance", proof.moment_imbalance},
          {"energy_identity_error", proof.energy_identity_error},
          {"converged", proof.converged},
          {"solve_seconds", proof.solve_seconds}};
}

// The worst of all cases; what they cost adds up.
solve::certificate join_proofs(const std::vector<case_result>& cases) {
  solve::certificate all = cases.front().proof;
  for (std::size_t c = 1; c < cases.size(); ++c) {
    const solve::certificate& proof = cases[c].proof;
    all.unknowns = std::max(all.unknowns, proof.unknowns);
    all.iterations += proof.iterations;
    all.converged &= proof.converged;
    if (proof.true_relative_residual > all.true_relative_residual) all.residual_history = proof.residual_history;
    all.true_relative_residual = std::max(all.true_relative_residual, proof.true_relative_residual);
    all.reaction_imbalance = std::max(all.reaction_imbalance, proof.reaction_imbalance);
    all.moment_imbalance = std::max(all.moment_imbalance, proof.moment_imbalance);
    all.energy_identity_error = std::max(all.energy_identity_error, proof.energy_identity_error);
    all.setup_seconds += proof.setup_seconds;
    all.solve_seconds += proof.solve_seconds;
  }
  return all;
}

}  // namespace

physics_result run_elasticity(const spec& job, const specimen& part, sink& log) {
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  const std::vector<load_case> cases = make_cases(sets, log);
  std::vector<case_result> solved = solve_cases(job, part, problem, cases, log);

  physics_result result;
  result.proof = join_proofs(solved);
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, part.where.comm);
  case_result& first = solved.front();
  result.answers = first.answers;  // of several cases the first is the one of the picture and of the table
  result.shown = std::move(first.shown);
  result.shown_name = first.fields[1].info.name;
  result.shown_units = "MPa";
  result.shown_low = first.shown_low;
  result.shown_high = first.shown_high;
  for (std::size_t c = 0; c < solved.size(); ++c) {
    std::move(solved[c].fields.begin(), solved[c].fields.end(), std::back_inserter(result.fields));
    if (job.cases.empty()) continue;
    json entry = {{"name", cases[c].name}};
    entry.update(solved[c].answers);
    entry["certificate"] = certificate_of(solved[c].proof);
    result.answers["cases"].push_back(std::move(entry));
  }
  return result;
}

}  // namespace osteon::job
