#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/outputs/history.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/describe_loads.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/pistoia.hpp>
#include <osteon/physics/failure/entry.hpp>
#include <osteon/physics/failure/failure_keys.hpp>
#include <osteon/physics/failure/solver/failure.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/shared/show_scalar.hpp>
#include <span>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double offset_strain = 0.002;

// Displacement and load of the driven face. The keys contain the units of the test.
json place_of(double factor, double load, const measure& m) {
  const double amount = factor * m.amount;
  if (m.turns) return {{"angle_deg", amount * 180 / std::numbers::pi}, {"moment_N_mm", load}};
  return {{"strain", amount / m.length_mm},
          {"displacement_mm", amount},
          {"force_N", load},
          {"stress_MPa", load / m.area.area_mm2}};
}

// Records up to the first turning point of the path.
std::span<const failure_record> first_leg(std::span<const failure_record> curve) {
  std::size_t n = 1;
  while (n < curve.size() && std::abs(curve[n].factor) > std::abs(curve[n - 1].factor)) ++n;
  return curve.first(std::min(n, curve.size()));
}

// Intersection of the curve with the elastic line at the offset strain. Between records, the curve is interpolated linearly.
json yield_by_offset(std::span<const failure_record> leg, const measure& m, double stiffness) {
  const double offset = offset_strain * m.length_mm;
  const auto above = [&](const failure_record& r) {
    const double amount = r.factor * m.amount;
    return std::abs(r.load) - std::abs(stiffness) * (std::abs(amount) - offset);
  };
  for (std::size_t n = 1; n < leg.size(); ++n) {
    const double before = above(leg[n - 1]), after = above(leg[n]);
    if (after > 0) continue;
    const double part = before / (before - after);
    return place_of(leg[n - 1].factor + part * (leg[n].factor - leg[n - 1].factor),
                    leg[n - 1].load + part * (leg[n].load - leg[n - 1].load), m);
  }
  return nullptr;
}

// The columns of the curve, starting with the unloaded state. The columns are written to `curve` in summary.json and to
// curve.csv.
json curve_of(std::span<const failure_record> curve, const measure& m) {
  json columns = json::object();
  for (const failure_record& r : curve) {
    const auto add = [&](const char* key, double value) { columns[key].push_back(value); };
    const json place = place_of(r.factor, r.load, m);
    for (const auto& [key, value] : place.items()) add(key.c_str(), value);
    add("work_mJ", r.work_mJ);
    add("stored_mJ", r.stored_mJ);
    add("dissipated_mJ", r.dissipated_mJ);
    add("hardening_mJ", r.hardening_mJ);
    add("yielded_share", r.yielded);
    add("yielded_in_tension", r.in_tension);
    add("yielded_in_compression", r.in_compression);
    add("force_residual", r.residual);
    add("corrections", r.corrections);
    add("iterations", r.iterations);
  }
  return columns;
}

// Answers that are computed from the curve: first yield, yield at 0.2 % offset, ultimate load, stiffness after yield, and
// final energies.
// @param first_yield load factor at the first yield @param stiffness elastic stiffness, which is load divided by amount
// [N/mm or N mm/rad]
json answers_of_curve(std::span<const failure_record> curve, const measure& m, double first_yield, double stiffness) {
  json answers = json::object();
  const auto leg = first_leg(curve);
  if (std::abs(first_yield) <= std::abs(leg.back().factor))
    answers["first_yield"] = place_of(first_yield, stiffness * first_yield * m.amount, m);
  if (!m.turns)
    if (const json offset = yield_by_offset(leg, m, stiffness); !offset.is_null()) answers["yield_offset"] = offset;
  // Tolerance for a plateau at the largest force. The first record of the plateau is selected. This choice does not depend
  // on the residuals of the solver.
  constexpr double plateau = 1e-6;
  const auto most = std::max_element(leg.begin(), leg.end(), [](const auto& a, const auto& b) {
    return (1 + plateau) * std::abs(a.load) < std::abs(b.load);
  });
  answers["ultimate"] = place_of(most->factor, most->load, m);
  answers["ultimate"]["work_mJ"] = most->work_mJ;
  answers["ultimate"]["is_peak"] =
      std::any_of(most, leg.end(), [&](const auto& r) { return std::abs(r.load) < (1 - plateau) * std::abs(most->load); });
  if (leg.size() >= 2 && leg.back().yielded > 0) {
    const auto &last = leg[leg.size() - 1], &before = leg[leg.size() - 2];
    const double slope = (last.load - before.load) / ((last.factor - before.factor) * m.amount);
    answers[m.turns ? "post_yield_stiffness_N_mm_per_deg" : "post_yield_stiffness_N_per_mm"] =
        m.turns ? slope * std::numbers::pi / 180 : slope;
  }
  const failure_record& end = curve.back();
  answers["energy_mJ"] = {
      {"work", end.work_mJ}, {"stored", end.stored_mJ}, {"dissipated", end.dissipated_mJ}, {"hardening", end.hardening_mJ}};
  answers["yielded_share"] = {{"all", end.yielded}, {"tension", end.in_tension}, {"compression", end.in_compression}};
  return answers;
}

constexpr double most_plausible_strain = 0.1;

// @cite [BazantOh1983]. Beyond the strength, the strain of a voxel is inversely proportional to the size of the voxel.
// @throws usage_error if the slope does not represent damage
kernel::damage_law damage_of(const strengths& s, const kernel::yield_surface& surface, const failure_keys& keys,
                             const std::string& material, const vector3& spacing_mm) {
  kernel::damage_law law{surface, s.slope};
  if (!(s.slope < 1))
    throw usage_error(fmt::format(
        "failure.hardening_MPa is {:.4g} times Young's modulus of '{}'; it must be less than Young's modulus, because "
        "damage does not increase the stiffness",
        s.slope, material));
  if (keys.fracture_ratio) {
    const double size = std::cbrt(spacing_mm.z * spacing_mm.y * spacing_mm.x);
    law.fracture = 1 + (*keys.fracture_ratio - 1) * *keys.fracture_length_mm / size;
  }
  return law;
}

// The plan of the analysis with the yield surfaces of all materials. @param description receives the description for
// summary.json
failure_plan make_failure_plan(const spec& job, const local_model& part, json& description, log_sink& log) {
  const failure_keys& keys = job.groups.of<failure_keys>();
  failure_plan plan;
  plan.integration =
      keys.integration == failure_integration::bbar ? kernel::dilatation::mean : kernel::dilatation::at_points;
  if (!keys.path.empty()) plan.turns = keys.path;
  plan.steps = static_cast<int>(keys.steps.value_or(0));
  plan.most_halvings = static_cast<int>(keys.halvings);
  const voxel::material_table& materials = part.header.materials;
  plan.surfaces.resize(materials.size());
  const bool is_damage = *keys.law == yield_law::secant_damage;
  if (is_damage) plan.damage.resize(materials.size());
  bool has_floor = false;
  double least = 0, most = 0, widest = 0;
  for (std::size_t m = 1; m < materials.size(); ++m) {
    if (!(materials[m].youngs_modulus_MPa > 0)) continue;
    const strengths s = strengths_of(job, materials[m], m);
    if (!(s.tension_MPa > 0)) continue;
    plan.surfaces[m] = kernel::surface_of(s.tension_MPa, s.compression_MPa, s.hardening_MPa,
                                          keys.interaction.value_or(kernel::interaction_of_cone));
    if (is_damage) plan.damage[m] = damage_of(s, plan.surfaces[m], keys, materials[m].name, part.header.spacing_mm);
    has_floor = has_floor || s.is_floor;
    least = least > 0 ? std::min(least, s.hardening_MPa) : s.hardening_MPa;
    most = std::max(most, s.hardening_MPa);
    widest = std::max(widest, std::max(s.tension_MPa, s.compression_MPa) / materials[m].youngs_modulus_MPa);
  }
  description = {{"law", keys.law.name()},
                 {"integration", keys.integration.name()},
                 {"hardening_MPa", {least, most}},
                 {"hardening_floor", has_floor}};
  if (has_floor)
    log.note(
        fmt::format("failure: perfect plasticity is approximated by a hardening modulus of 1e-4 times Young's modulus "
                    "({:.4g} to {:.4g} MPa)",
                    least, most));
  if (widest > most_plausible_strain)
    log.warn(
        fmt::format("failure: a strength is {:.3g} times Young's modulus; bone tissue yields at about 0.01 times Young's "
                    "modulus: check that "
                    "strengths are in MPa",
                    widest));
  return plan;
}

// Results of the elastic solution: the stiffness, and the failure load according to the criterion of Pistoia.
struct elastic_part {
  json answers;
  double stiffness = 0;  // load divided by displacement or angle
};

elastic_part read_elastic(const spec& job, const local_model& part,
                          const std::shared_ptr<const numerics::elasticity_problem>& problem, const load_case& c,
                          elasticity_solution solution) {
  const load_answers loads = read_loads(c, *problem, part.header.origin_mm, solution);
  elastic_part read;
  const measure& m = *c.measures;
  read.stiffness = *loads.load / m.amount;
  read.answers = measured(m, *loads.load);
  read.answers["load"] = loads.keys.at("load");
  derived_fields state;
  comm::collectively(part.where.comm, [&] { state = derive_fields(problem, std::move(solution.displacement_mm)); });
  const auto& [critical_strain, critical_volume] = job.groups.of<mechanical_keys>().pistoia;
  const auto estimate = pistoia(part.where.comm, *state.effective_strain, *loads.load, critical_strain, critical_volume);
  json& pistoia = read.answers["pistoia"] = {
      {"critical_strain", critical_strain}, {"critical_volume", critical_volume}, {"factor", nullptr}};
  if (std::isfinite(estimate.factor)) {
    pistoia["factor"] = estimate.factor;
    pistoia[m.turns ? "failure_moment_N_mm" : "failure_load_N"] = estimate.failure_load_N;
  }
  return read;
}

// Set the loads at the end of the path in scene.json. @return answers for these loads @collective
json add_loads_at_end(const load_case& c, double factor, const local_model& part,
                      const numerics::elasticity_problem& problem, const node_sets& sets, elasticity_solution& state,
                      physics_result& result) {
  load_case at_end = c;
  at_end.measures->amount *= factor;
  for (support& s : at_end.supports)
    for (int a = 0; a < 3; ++a) {
      s.move_mm[a] *= factor;
      s.turn_rad[a] *= factor;
    }
  json answers = read_loads(at_end, problem, part.header.origin_mm, state).keys;
  result.scene = describe_loads(sets, {&at_end, 1}, {&answers, 1});
  return answers;
}

// Repeat the path with half of the step size, and compare the loads. @collective
json prove(const numerics::elasticity_problem& problem, const failure_plan& plan, const numerics::options& options,
           const failure_solution& solution, log_sink& log) {
  log.note("failure: repeating the path with halved steps");
  const failure_plan fine = halved(plan, solution);
  const failure_solution again = solve_failure(problem, fine, options, {}, log);
  json proof = {{"steps", again.curve.size() - 1},
                {"change_of_load", change_of_loads(solution.curve, again.curve)},
                {"work_error", again.proof.work_error},
                {"ended", nullptr}};
  if (!again.ended.empty()) proof["ended"] = again.ended;
  return proof;
}

std::vector<result_field> fields_of_failure(const local_model& part,
                                            const std::shared_ptr<const numerics::elasticity_problem>& problem,
                                            std::vector<double> displacement_mm, cell_values state_of_cells, bool is_damage,
                                            cell_values dissipation) {
  derived_fields state;
  state.problem = problem;
  state.displacement_mm = std::make_shared<const std::vector<double>>(std::move(displacement_mm));
  std::vector<result_field> fields = elastic_fields(part, {elastic_field::displacement}, state);
  io::field_info info{"plastic_strain", "equivalent plastic strain (von Mises), mean of the Gauss points", "1",
                      io::centring::cell, 1};
  if (is_damage) info.name = "damage", info.long_name = "loss of stiffness relative to the undamaged voxel";
  fields.push_back({info, [&part, state_of_cells] { return cell_planes(part, state_of_cells); }});
  fields.push_back({{"dissipation", "dissipated energy per volume", "MPa", io::centring::cell, 1},
                    [&part, dissipation] { return cell_planes(part, dissipation); }});
  return fields;
}

}  // namespace

physics_result run_failure(const spec& job, const local_model& part, const numerics::options& options, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  const std::vector<load_case> cases = make_cases(sets, log);
  warn_of_unused_sets(sets, job, log);
  warn_of_locking(job, part, log);
  // The nonlinear solution is not scaled. Load steps reach a requested load instead.
  load_case c = cases.front();
  const measure& m = *c.measures;
  const double wanted = m.wanted.value_or(0);
  c.measures->wanted.reset();
  problem->fixed = c.fixed;
  require_supported(*problem, part.header.origin_mm);
  check_elasticity(*problem);

  json law;
  failure_plan plan;
  comm::collectively(comm, [&] { plan = make_failure_plan(job, part, law, log); });
  plan.amount = m.amount;
  plan.load = wanted;
  elastic_part elastic;
  failure_solution solution = solve_failure(
      *problem, plan, options, [&](elasticity_solution&& s) { elastic = read_elastic(job, part, problem, c, std::move(s)); },
      log);

  physics_result result;
  result.elements = comm::sum_over_ranks(comm, part.cells.size());
  result.certificate = solution.state.certificate;
  result.answers = elastic.answers;
  result.answers.update(answers_of_curve(solution.curve, m, solution.first_yield, elastic.stiffness));
  law["steps"] = solution.curve.size() - 1;
  law["state_bytes"] = solution.state_bytes;
  result.answers["failure"] = law;
  result.answers["failure_proof"] = {{"force_residual", solution.proof.force_residual},
                                     {"yield_violation", solution.proof.yield_violation},
                                     {"work_error", solution.proof.work_error},
                                     {"smallest_dissipation_MPa", solution.proof.smallest_dissipation_MPa}};
  const json loads = add_loads_at_end(c, solution.curve.back().factor, part, *problem, sets, solution.state, result);
  result.answers["supports"] = loads.at("supports");
  if (wanted != 0) result.answers["load"] = loads.at("load");
  result.answers["curve"] = curve_of(solution.curve, m);
  if (!plan.damage.empty())
    for (const failure_record& r : solution.curve) result.answers["curve"]["broken_share"].push_back(r.broken);
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    const std::filesystem::path folder(job.output_directory);
    std::filesystem::create_directories(folder);
    write_file((folder / "curve.csv").string(), history_table(result.answers["curve"]));
  });
  if (!solution.ended.empty())
    result.ended = fmt::format("{}; {} contains the curve up to this step", solution.ended,
                               (std::filesystem::path(job.output_directory) / "curve.csv").string());
  if (solution.ended.empty() && job.groups.of<failure_keys>().prove)
    result.answers["failure_proof"]["halved"] = prove(*problem, plan, options, solution, log);
  const bool is_damage = !plan.damage.empty();
  cell_values state_of_cells, dissipation;
  comm::collectively(comm, [&] {
    state_of_cells = share(std::move(is_damage ? solution.damage : solution.plastic_strain));
    dissipation = share(std::move(solution.dissipation_MPa));
  });
  const char* const name = is_damage ? "damage" : "plastic_strain";
  show_scalar(result, comm, state_of_cells, name, is_damage ? "damage" : "plastic strain", "1");
  result.fields =
      fields_of_failure(part, problem, std::move(solution.state.displacement_mm), state_of_cells, is_damage, dissipation);
  return result;
}

namespace {

class dissipation_painter final : public frame_painter {
 public:
  /// @param points number of points in a voxel for which a dissipation is stored
  dissipation_painter(const local_model& part, std::size_t points) : part_(part), points_(points) {}

  bool show(physics_result& result, const numerics::solver_state& state) override {
    cell_values values;
    const grid::point_vector& states = state.vectors.back();
    if (states.fill) states.fill();
    comm::collectively(part_.where.comm, [&] {
      const auto numbers = std::get<std::span<float>>(states.values);
      const auto step = static_cast<std::size_t>(states.layout.node_stride);
      std::vector<float> dissipation(static_cast<std::size_t>(part_.cells.size()));
      for (const voxel::run& r : part_.cells.runs()) {
        const auto node = static_cast<std::size_t>(state.points->find(r.z, r.y, r.x));
        for (std::int32_t e = 0; e < r.length; ++e) {
          const std::size_t end = (node + static_cast<std::size_t>(e) + 1) * step;
          float sum = 0;
          for (std::size_t g = end - points_; g < end; ++g) sum += numbers[g];
          dissipation[static_cast<std::size_t>(r.first + e)] = sum / static_cast<float>(points_);
        }
      }
      values = share(std::move(dissipation));
    });
    show_scalar(result, part_.where.comm, values, "dissipation", "dissipated energy", "MPa");
    return true;
  }

 private:
  const local_model& part_;
  std::size_t points_;
};

}  // namespace

std::unique_ptr<frame_painter> paint_failure(const spec& job, const local_model& part) {
  return std::make_unique<dissipation_painter>(part, job.groups.of<failure_keys>().law == yield_law::secant_damage ? 1 : 8);
}

}  // namespace osteon::physics
