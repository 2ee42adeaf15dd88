#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/elastic_source.hpp>
#include <osteon/physics/elasticity/entry.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/describe_loads.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/necks.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/pistoia.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

// Results of a load case.
struct case_result {
  numerics::solve_certificate certificate;
  json answers;
  derived_fields state;
  std::vector<double> reaction_N;  ///< only if the source of the model needs it
};

// Fraction of the total strain energy in each voxel. @collective on comm
std::vector<float> shares_of_energy(MPI_Comm comm, const derived_fields& state, double energy_mJ) {
  const vector3& h = state.problem->spacing_mm;
  std::vector<float> shares;
  comm::collectively(comm, [&] {
    shares = integrated_energy_density(*state.problem, *state.displacement_mm, *state.thermal_strain);
    const double scale = energy_mJ > 0 ? h.z * h.y * h.x / energy_mJ : 0;
    for (float& s : shares) s = static_cast<float>(scale * static_cast<double>(s));
  });
  return shares;
}

// Strain energy of single voxels that connect other voxels. A slightly higher threshold can remove these voxels.
json describe_necks(const local_model& part, const derived_fields& state, double energy_mJ) {
  constexpr float loaded = 0.01F;
  const std::vector<std::uint8_t> necks = find_necks(part);
  const std::vector<float> shares = shares_of_energy(part.where.comm, state, energy_mJ);
  std::int64_t counts[2] = {0, 0};
  double share = 0;
  for (std::size_t i = 0; i < necks.size(); ++i)
    if (necks[i] != 0) {
      ++counts[0];
      counts[1] += shares[i] > loaded;
      share += static_cast<double>(shares[i]);
    }
  comm::all_reduce(part.where.comm, counts, 2, MPI_SUM);
  comm::all_reduce(part.where.comm, &share, 1, MPI_SUM);
  return {{"voxels", counts[0]}, {"energy_share", share}, {"loaded_voxels", counts[1]}};
}

case_result read_case(const spec& job, const local_model& part,
                      const std::shared_ptr<const numerics::elasticity_problem>& problem, const load_case& load,
                      elasticity_solution solution) {
  const MPI_Comm comm = part.where.comm;
  case_result result;
  result.certificate = solution.certificate;
  const load_answers loads = read_loads(load, *problem, part.header.origin_mm, solution);
  const elastic_source* source = elastic_source_of(job);
  if (source && source->needs_reactions()) result.reaction_N = std::move(solution.reaction_N);
  comm::collectively(comm, [&] { result.state = derive_fields(problem, std::move(solution.displacement_mm)); });
  const derived_fields& state = result.state;
  const auto failure = pistoia(comm, *state.effective_strain, loads.load.value_or(0),
                               job.groups.of<mechanical_keys>().pistoia.critical_strain,
                               job.groups.of<mechanical_keys>().pistoia.critical_volume);
  json& answers = result.answers = loads.keys;
  answers.update(statistics_of(comm, state));
  if (wants_principal_strain(job)) answers["principal_strain_1"] = statistics_of_principal_strain(comm, state);
  answers["pistoia"] = {{"critical_strain", job.groups.of<mechanical_keys>().pistoia.critical_strain},
                        {"critical_volume", job.groups.of<mechanical_keys>().pistoia.critical_volume},
                        {"factor", failure.factor}};
  // Without strain at voxel centres the failure load is undefined. Examples are a rigid motion and torsion of a single
  // voxel. Strains below the range of single precision also become zero, but a later check detects this error.
  constexpr double least_energy_mJ = 1e-30;
  if (const double energy = answers.at("strain_energy_mJ");
      std::isinf(failure.factor) && (loads.load.value_or(0) == 0 || energy > least_energy_mJ))
    answers["pistoia"]["factor"] = nullptr;
  else if (loads.load)
    answers["pistoia"][loads.is_moment ? "failure_moment_N_mm" : "failure_load_N"] = failure.failure_load_N;
  if (auto table = by_material(part, state); !table.is_null()) answers["by_material"] = std::move(table);
  if (job.uncertainty && job.uncertainty->enabled)
    answers["necks"] = describe_necks(part, state, answers.at("strain_energy_mJ"));
  return result;
}

// Derivative of the stiffness K with respect to the modulus E of each voxel: dK/dE = K/E u, with the energy fraction u of
// the voxel. K is the energy divided by half of the square of the driving quantity, and the energy is stationary.
result_field sensitivity_of(const local_model& part, const derived_fields& state, const json& answers) {
  const bool turns = answers.contains("stiffness_N_mm_per_deg");
  const char* key = turns ? "stiffness_N_mm_per_deg" : "stiffness_N_per_mm";
  if (!answers.contains(key))
    throw usage_error(
        "output.fields: stiffness_sensitivity requires a load with a stiffness, such as a test that drives a face; remove "
        "it");
  const double stiffness = answers.at(key), energy = answers.at("strain_energy_mJ");
  return {{"stiffness_sensitivity", "change of the stiffness with the voxel's Young's modulus",
           turns ? "N mm deg-1 MPa-1" : "N mm-1 MPa-1", io::centring::cell, 1},
          [&part, state, stiffness, energy] {
            const vector3& h = state.problem->spacing_mm;
            std::vector<float> values =
                integrated_energy_density(*state.problem, *state.displacement_mm, *state.thermal_strain);
            const auto& materials = *state.problem->materials;
            for (std::size_t i = 0; i < values.size(); ++i)
              values[i] = static_cast<float>(stiffness * h.z * h.y * h.x * static_cast<double>(values[i]) /
                                             (energy * materials[state.problem->material[i]].youngs_modulus_MPa));
            return cell_planes(part, share(std::move(values)));
          }};
}

// Return the fields of a load case. The name of the case is appended to the names of the fields. @collective on
// part.where.comm
std::vector<result_field> fields_of(const spec& job, const local_model& part, const load_case& load,
                                    const derived_fields& state, const json& answers) {
  auto fields = elastic_fields(part, fields_of_job(job), state);
  comm::collectively(part.where.comm, [&] {
    if (wants_field(job, elastic_field::stiffness_sensitivity)) fields.push_back(sensitivity_of(part, state, answers));
  });
  if (wants_field(job, elastic_field::neck_energy)) {
    std::vector<float> shares = shares_of_energy(part.where.comm, state, answers.at("strain_energy_mJ"));
    const std::vector<std::uint8_t> necks = find_necks(part);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] *= static_cast<float>(necks[i]);
    fields.push_back({{"neck_energy", "fraction of the strain energy in voxels that are the only connection between others",
                       "1", io::centring::cell, 1},
                      [&part, kept = share(std::move(shares))] { return cell_planes(part, kept); }});
  }
  if (!load.name.empty())
    for (result_field& field : fields) {
      field.info.name += "_" + load.name;
      field.info.long_name += ", case " + load.name;
    }
  return fields;
}

// Warn of a nearly unloaded solid and of bending within single voxels. @collective local
// @param locks a warning of locking was already printed
void warn_of_accuracy(const load_case& load, const case_result& found, double solid_mm3, bool locks, log_sink& log) {
  constexpr double rounding = 1e-2, least_seen = 0.5;
  const std::string of_case = load.name.empty() ? "" : fmt::format("load case '{}': ", load.name);
  const double energy = found.answers.at("strain_energy_mJ");
  if (found.certificate.converged && found.certificate.energy_identity_error > rounding) {
    log.warn(
        of_case +
        "the solid carries almost no load: it moves like a mechanism, for example about edges or corners of voxels, so that "
        "reactions and stresses are rounding errors; add supports, or fill the gaps of the solid");
    return;
  }
  if (!(energy > 0)) return;
  const double seen = found.answers.at("sed_MPa").at("mean").get<double>() * solid_mm3 / energy;
  if (seen < least_seen && !locks)
    log.warn(fmt::format(
        "{}SED, stress, effective strain and failure load are inaccurate: voxel centres contain {} % of the strain energy, "
        "because the solid bends or twists where it is one voxel thick; use smaller voxels, or the field sed_integrated",
        of_case, seen < 1e-4 ? "less than 0.01" : fmt::format("{:.2g}", 100 * seen)));
}

// Solve the cases in groups that share a solver.
std::vector<case_result> solve_cases(const spec& job, const local_model& part,
                                     std::shared_ptr<numerics::elasticity_problem> problem,
                                     const std::vector<load_case>& cases, const numerics::options& options, log_sink& log) {
  std::vector<case_result> results(cases.size());
  const auto groups = group_by_supports(part.where.comm, cases);
  if (cases.size() > 1)
    log.note(fmt::format("{} load cases with {} different sets of constrained nodes: {} solver set-ups", cases.size(),
                         groups.size(), groups.size()));
  // All checks precede the first solution, because a solution can take hours.
  for (const std::vector<std::size_t>& group : groups) {
    problem->fixed = cases[group.front()].fixed;
    require_supported(*problem, part.header.origin_mm);
    check_elasticity(*problem);
    comm::collectively(part.where.comm, [&] {
      for (const std::size_t c : group) check_load(*problem, load_of(cases[c]));
    });
  }
  for (const std::vector<std::size_t>& group : groups) {
    problem->fixed = cases[group.front()].fixed;
    elasticity_solver solver(*problem, options, log);
    for (const std::size_t c : group) {
      if (!cases[c].name.empty()) log.note(fmt::format("load case '{}': {}", cases[c].name, name_of(cases[c].test)));
      const elasticity_load load = load_of(cases[c]);
      auto solution = c == group.back() ? solver.solve_last(load) : solver.solve(load);
      results[c] = read_case(job, part, problem, cases[c], std::move(solution));
    }
  }
  return results;
}

json certificate_of(const numerics::solve_certificate& certificate) {
  return {{"iterations", certificate.iterations},
          {"true_relative_residual", certificate.true_relative_residual},
          {"reaction_imbalance", certificate.reaction_imbalance},
          {"moment_imbalance", certificate.moment_imbalance},
          {"energy_identity_error", certificate.energy_identity_error},
          {"converged", certificate.converged},
          {"solve_seconds", certificate.solve_seconds}};
}

}  // namespace

physics_result run_elasticity(const spec& job, const local_model& part, const numerics::options& options, log_sink& log) {
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  const std::vector<load_case> cases = make_cases(sets, log);
  warn_of_unused_sets(sets, job, log);
  warn_of_locking(job, part, log);
  std::vector<case_result> solved = solve_cases(job, part, problem, cases, options, log);

  physics_result result;
  std::vector<numerics::solve_certificate> certificates;
  for (const case_result& r : solved) certificates.push_back(r.certificate);
  result.certificate = numerics::joint_certificate(certificates);
  result.elements = comm::sum_over_ranks(part.where.comm, part.cells.size());
  const vector3& h = part.header.spacing_mm;
  const bool locks = locks_at(highest_poisson_ratio(part));
  for (std::size_t c = 0; c < cases.size(); ++c)
    warn_of_accuracy(cases[c], solved[c], static_cast<double>(result.elements) * h.z * h.y * h.x, locks, log);
  result.answers = solved.front().answers;  // the picture and the table show the first case
  show(result, job, part, solved.front().state);
  if (!job.groups.of<mechanical_keys>().cases.empty()) result.shown_name += "_" + cases.front().name;
  for (std::size_t c = 0; c < solved.size(); ++c) {
    auto fields = fields_of(job, part, cases[c], solved[c].state, solved[c].answers);
    std::move(fields.begin(), fields.end(), std::back_inserter(result.fields));
    if (job.groups.of<mechanical_keys>().cases.empty()) continue;
    json entry = {{"name", cases[c].name}};
    entry.update(solved[c].answers);
    entry["certificate"] = certificate_of(solved[c].certificate);
    result.answers["cases"].push_back(std::move(entry));
  }
  std::vector<json> answers;
  for (const case_result& r : solved) answers.push_back(r.answers);
  result.scene = describe_loads(sets, cases, answers);
  if (const elastic_source* source = elastic_source_of(job))
    result.write_more = source->writer_of(job, part, solved.front().state, std::move(solved.front().reaction_N));
  return result;
}

}  // namespace osteon::physics
