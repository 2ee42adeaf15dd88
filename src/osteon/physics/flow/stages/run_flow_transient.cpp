#include <osteon/physics/flow/stages/run_flow_transient.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/outputs/history.hpp>
#include <osteon/job/outputs/step_files.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/pictures/flow_paths.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/probes/probes.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>
#include <osteon/physics/flow/stages/buoyancy.hpp>
#include <osteon/physics/flow/stages/flow_heat.hpp>
#include <osteon/physics/flow/stages/solid_labels.hpp>
#include <osteon/physics/flow/stages/through_answers.hpp>
#include <osteon/physics/flow/stages/through_problem.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double capacity_per_mm3 = 1e-9;  // factor from 1/m3 to 1/mm3

json number_or_none(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string name_of_side(std::size_t side) { return fmt::format("{}_{}", "zyx"[side / 2], side % 2 == 0 ? "low" : "high"); }

// Time plan of the temperature. The plan is created from [transient] and from the heat capacities of materials. @collective
// local
heat_time_plan make_heat_time_plan(const spec& job, const local_model& part, const numerics::options& solver_options) {
  const flow_keys& f = job.groups.of<flow_keys>();
  heat_time_plan plan;
  plan.heat_capacity_J_per_mm3K.assign(part.header.materials.size(), 0);
  plan.heat_capacity_J_per_mm3K.at(1) = capacity_per_mm3 * f.heat_capacity();
  for (std::size_t n = 0; n < job.materials.size() && n + 2 < plan.heat_capacity_J_per_mm3K.size(); ++n)
    plan.heat_capacity_J_per_mm3K[n + 2] = capacity_per_mm3 * job.materials[n].heat_capacity_J_per_m3K.value_or(0);
  plan.implicitness = job.groups.of<condition_keys>().transient->scheme == time_scheme::implicit_euler ? 1 : 0.5;
  plan.tolerance = std::min(solver_options.tolerance, 1e-6);  // the tolerance of a flow may be larger
  plan.max_iterations = solver_options.max_iterations;
  if (f.expansion_per_K) {
    const std::vector<double>& g = *f.gravity_m_per_s2;
    plan.weight = {*f.expansion_per_K, {g[0], g[1], g[2]}, f.reference_temperature_K};
  }
  return plan;
}

// Create the problem of the temperature, including the initial temperature. @collective local
temperature_problem make_heat_in_time(const spec& job, const local_model& part, const through_problem& flow,
                                      const std::vector<std::size_t>& table_of) {
  temperature_problem problem = make_temperature_problem(job, part, flow.cells, flow.boundaries, table_of);
  problem.initial_K = job.groups.of<condition_keys>().transient->initial_K;
  return problem;
}

// Add the temperature of each record to the history of the flow.
void add_heat_history(json& history, const spec& job, const heat_in_time& heat, const std::vector<std::string>& names) {
  const bool has_solid = heat.problem().fluid.size() != heat.problem().cells.size() || !job.materials.empty();
  for (const heat_in_flow_record& r : heat.history()) {
    const temperature_solution& s = r.heat;
    json& fluid = history["fluid_temperature_K"];
    fluid["mean"].push_back(s.mean_fluid_K);
    fluid["low"].push_back(r.fluid_low_K);
    fluid["high"].push_back(r.fluid_high_K);
    if (has_solid) history["solid_temperature_K"]["mean"].push_back(number_or_none(s.mean_solid_K));
    for (std::size_t n = 0; n < names.size(); ++n)
      if (heat.problem().openings[n].passes())
        history["opening_temperature_K"][names[n]].push_back(number_or_none(s.openings[n].mixed_K));
    for (std::size_t side = 0; side < 6; ++side)
      history["face_inflow_W"][name_of_side(side)].push_back(s.face_inflow_W[side / 2][side % 2]);
    history["heat_source_W"].push_back(s.source_W);
    history["heat_carried_out_W"].push_back(s.carried_out_W);
    history["heat_stored_W"].push_back(s.stored_W);
    history["wall_heat_W"].push_back(s.walls.heat_W);
    history["heat_imbalance"].push_back(s.certificate.reaction_imbalance);
    const json numbers = convection_nusselt_numbers(job, heat.rest_inflow_W(), s);
    for (const auto& [face, number] : numbers.items()) history["convection_nusselt_number"][face].push_back(number);
  }
}

// Add the answers, the field and the certificate of the final temperature. Call this function after the flow has been added
// to the picture.
// @collective on part.where.comm
void report_transient_heat(physics_result& result, const spec& job, const local_model& part, const heat_in_time& heat,
                           const transient_flow_solution& flow, const std::vector<std::string>& names, log_sink& log) {
  temperature_solution s = heat.history().back().heat;
  comm::collectively(part.where.comm, [&] { s.temperature_K = heat.temperature_K(); });
  const double of_last_step = s.certificate.reaction_imbalance;
  s.certificate = heat.certificate();
  report_flow_temperature(result, job, part, heat.problem(), s, flow.end, names, log);
  json& answers = result.answers;
  answers["heat_stored_W"] = s.stored_W;
  answers["heat_imbalance"] = of_last_step;
  answers["highest_heat_imbalance"] = s.certificate.reaction_imbalance;
  if (job.groups.of<flow_keys>().expansion_per_K) report_transient_buoyancy(answers, job, heat, log);
  constexpr double little = 1e-3;
  if (heat.returned_share() > little)
    log.warn(
        fmt::format("backflow of up to {:.2g} % of the inflow at openings without temperature_K; the local temperature is "
                    "used; set temperature_K for these openings",
                    100 * heat.returned_share()));
}

// The values of all records, by key and by time.
json history_of(const std::vector<flow_record>& records, const std::vector<std::string>& names, const flow_keys& keys,
                const std::array<bool, 3>& is_periodic) {
  json history = json::object();
  for (const flow_record& r : records) {
    const auto add = [&](const char* key, const json& value) { history[key].push_back(value); };
    add("time_s", r.time_s);
    add("steps", r.steps);
    add("step_s", r.step_s);
    add("cfl", r.courant);
    add("divergence", r.divergence);
    add("iterations", r.iterations);
    add("kinetic_energy_J", r.kinetic_energy_J);
    add("change_per_s", r.change_per_s);
    const through_flow& f = r.flow;
    add("pressure_drop_Pa", f.pressure_drop_Pa);
    add("mean_speed_mm_per_s", f.mean_speed_mm_per_s);
    add("highest_speed_mm_per_s", f.highest_speed_mm_per_s);
    const json now = answers_of_flow(f, names, keys, is_periodic);
    for (const char* key : {"force_on_solid_N", "force_coefficients"})
      if (now.contains(key)) add(key, now.at(key));
    for (const char* key :
         {"force_on_label_N", "force_coefficients_of_label", "period_flow_rate_mm3_per_s", "period_pressure_drop_Pa"})
      if (now.contains(key))
        for (const auto& [name, value] : now.at(key).items()) history[key][name].push_back(value);
    for (std::size_t n = 0; n < names.size(); ++n) {
      if (!is_opening(records.back().flow.boundaries[n])) continue;
      history["opening_inflow_mm3_per_s"][names[n]].push_back(f.boundaries[n].inflow_mm3_per_s);
      history["opening_pressure_Pa"][names[n]].push_back(f.boundaries[n].mean_pressure_Pa);
    }
  }
  return history;
}

}  // namespace

flow_time_plan make_flow_time_plan(const spec& job) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const transient_spec& t = *job.groups.of<condition_keys>().transient;
  const start_of_flow start = f.start.value_or(start_of_flow::rest);
  return {.end_s = *t.end_s,
          .step_s = t.step_s.value_or(0),
          .courant = f.cfl.value_or(flow_time_plan{}.courant),
          .implicitness = t.scheme == time_scheme::implicit_euler ? 1 : 0.5,
          .record_every_s = t.output_every_s,
          .start = start == start_of_flow::rest       ? flow_start::rest
                   : start == start_of_flow::creeping ? flow_start::creeping
                                                      : flow_start::steady,
          .steady_change_per_s = f.steady_change_per_s.value_or(0),
          .has_fields = t.write_steps};
}

physics_result run_flow_transient(const spec& job, const local_model& part, const numerics::options& solver_options,
                                  log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  through_problem problem;
  std::vector<std::size_t> table_of;
  comm::collectively(comm, [&] { problem = make_through_problem(job, part, table_of); });
  add_solid_labels(job, part, table_of, problem);
  flow_time_plan plan = make_flow_time_plan(job);
  std::optional<flow_paths> paths;
  std::optional<path_checkpointer> kept_paths;
  numerics::checkpointer* checkpoints = solver_options.checkpoints;
  if (job.picture.pathlines > 0) {
    paths.emplace(job, part, problem);
    plan.on_step = [&](double time_s, const through_solution& fields) { paths->follow(time_s, fields); };
    if (checkpoints != nullptr) checkpoints = &kept_paths.emplace(*checkpoints, *paths);
  }
  std::optional<heat_in_time> heat;
  std::optional<heat_checkpointer> kept_heat;
  if (job.groups.of<flow_keys>().heat) {
    temperature_problem temperature;
    heat_time_plan heat_plan;
    comm::collectively(comm, [&] {
      temperature = make_heat_in_time(job, part, problem, table_of);
      heat_plan = make_heat_time_plan(job, part, solver_options);
    });
    plan.carries = &heat.emplace(temperature, problem, heat_plan, log);
    if (checkpoints != nullptr) checkpoints = &kept_heat.emplace(*checkpoints, *heat);
  }
  through_options options = through_options_of(solver_options);
  std::optional<probes> watching;
  std::optional<probe_checkpointer> kept_records;
  if (!job.groups.of<probe_keys>().probes.empty()) {
    watching.emplace(job, part, problem.cells, heat.has_value());
    if (heat) watching->watch_temperature([&heat] { return heat->temperature_K(); });
    options.watch = &watching->watch();
    if (checkpoints != nullptr) checkpoints = &kept_records.emplace(*checkpoints, *watching);
  }
  std::optional<step_files> steps;
  flow_record_taker on_record;
  if (job.groups.of<condition_keys>().transient->write_steps) {
    steps.emplace(job, part);
    on_record = [&](std::span<const flow_record> history, const through_solution& fields) {
      cell_values velocity, pressure, temperature;
      comm::collectively(comm, [&] {
        if (heat) {
          const std::vector<double> all = heat->temperature_K();
          temperature = share({all.begin(), all.end()});
        }
        velocity = spread_over(part, problem.cells, fields.velocity_mm_per_s, 3);
        pressure = spread_over(part, problem.cells, fields.pressure_Pa, 1);
      });
      std::vector<step_files::cell_field> fields_of_step{
          {{"velocity", "velocity of the fluid", "mm s-1", io::centring::cell, 3}, vector_planes(part, velocity)},
          {{"pressure", "pressure of the fluid", "Pa", io::centring::cell, 1}, cell_planes(part, pressure)}};
      if (heat) fields_of_step.emplace_back(flow_temperature_info(), cell_planes(part, temperature));
      steps->write(history.size() - 1, history.back().time_s, fields_of_step);
    };
  }
  transient_flow_solution solution = solve_transient_flow(problem, plan, options, checkpoints, on_record, log);
  physics_result result;
  if (steps) {
    std::vector<double> times_s;
    for (const flow_record& r : solution.history) times_s.push_back(r.time_s);
    result.written = {steps->path(), steps->close(times_s)};
  }
  result.elements = part.cells.size();
  comm::all_reduce(comm, &result.elements, 1, MPI_SUM);
  result.certificate = solution.certificate;

  const std::vector<std::string> names = names_of_openings(job, problem, table_of);
  const flow_record& last = solution.history.back();
  result.answers = answers_of_flow(last.flow, names, job.groups.of<flow_keys>(), problem.periodic);
  result.answers["kinetic_energy_J"] = last.kinetic_energy_J;
  result.answers["end_s"] = last.time_s;
  result.answers["is_steady"] = solution.is_steady;
  result.answers["change_per_s"] = last.change_per_s;
  result.answers["time_steps"] = solution.steps;
  result.answers["shortest_step_s"] = solution.shortest_step_s;
  result.answers["longest_step_s"] = solution.longest_step_s;
  result.answers["highest_cfl"] = solution.highest_courant;
  result.answers["highest_divergence"] = solution.highest_divergence;
  result.answers["pressure_method"] = solution.has_direct_pressure ? "transforms" : "multigrid";
  warn_of_upwinding(job, last.flow, result.answers, log);
  report_fluid(solution.end, result.answers);
  result.answers["flow_history"] = history_of(solution.history, names, job.groups.of<flow_keys>(), problem.periodic);
  if (heat) add_heat_history(result.answers["flow_history"], job, *heat, names);
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    const std::filesystem::path folder(job.output_directory);
    std::filesystem::create_directories(folder);
    write_file((folder / "history.csv").string(), history_table(result.answers["flow_history"]));
  });
  log.note(fmt::format(
      "{} steps to {:.4g} s{}: step size {:.3g} to {:.3g} s, Courant number at most {:.2f}, divergence at most {:.1e}, per "
      "step {:.1f} iterations of friction and {:.1f} {} of the pressure",
      solution.steps, last.time_s, solution.is_steady ? " (steady state)" : "", solution.shortest_step_s,
      solution.longest_step_s, solution.highest_courant, solution.highest_divergence,
      static_cast<double>(solution.friction_iterations) / static_cast<double>(std::max<std::int64_t>(1, solution.steps)),
      static_cast<double>(solution.pressure_iterations) / static_cast<double>(std::max<std::int64_t>(1, solution.steps)),
      solution.has_direct_pressure ? "solves by transforms" : "iterations"));
  result.stopped_at =
      fmt::format("{:.4g} s of {:.4g} s, with a divergence of {:.1e}", last.time_s, plan.end_s, last.divergence);
  show_flow(result, job, part, problem.cells, std::move(solution.end.velocity_mm_per_s), std::move(solution.end.pressure_Pa),
            std::nullopt);
  if (heat) {
    const shown_field speed = shown_of(result);
    report_transient_heat(result, job, part, *heat, solution, names, log);
    if (shown_field_of_flow(job) == flow_field::speed || paths) show(result, speed);
  }
  if (paths) paths->finish(result, log);
  if (watching) watching->finish(result, log);
  result.answers["load"] = through_load(job, part);
  json& load = result.answers["load"];
  load["start"] = name_of(job.groups.of<flow_keys>().start.value_or(start_of_flow::rest));
  load["end_s"] = plan.end_s;
  load["scheme"] = plan.implicitness == 1 ? "implicit_euler" : "crank_nicolson";
  if (plan.step_s > 0) load["step_s"] = plan.step_s;
  if (problem.has_inertia) load["cfl"] = plan.courant;
  if (heat) load["initial_K"] = *job.groups.of<condition_keys>().transient->initial_K;
  result.scene.boundaries = openings_of_load(result.answers);
  return result;
}

void check_flow_transient_on(const spec& job, const local_model& part) {
  std::vector<std::size_t> table_of;
  through_problem problem = make_through_problem(job, part, table_of);
  add_solid_labels(job, part, table_of, problem);
  check_transient_flow(problem, make_flow_time_plan(job), through_options_of({}));
  const bool has_heat = job.groups.of<flow_keys>().heat;
  if (has_heat) check_heat_in_time(make_heat_in_time(job, part, problem, table_of), make_heat_time_plan(job, part, {}));
  if (!job.groups.of<probe_keys>().probes.empty()) place_probes(job, part, problem.cells, has_heat);
}

}  // namespace osteon::physics
