#include <osteon/physics/flow/stages/buoyancy.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/flow/probes/probes.hpp>
#include <osteon/physics/flow/stages/flow_heat.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

// Text about the last outer iterations.
std::string history_of(const buoyant_solution& s) {
  std::vector<std::string> rounds;
  for (const buoyant_round& r : s.rounds) rounds.push_back(fmt::format("{:.1e}", r.change));
  constexpr std::size_t most = 12;
  const bool is_long = rounds.size() > most;
  if (is_long) rounds.erase(rounds.begin(), rounds.end() - most);
  return fmt::format("{}{}", is_long ? "..., " : "", fmt::join(rounds, ", "));
}

json coupling_numbers(const buoyant_solution& s) {
  const vector3 u = s.highest_velocity_mm_per_s;
  json numbers = {{"rayleigh_number", s.rayleigh_number},
                  {"rayleigh_temperature_difference_K", s.driving_K},
                  {"prandtl_number", s.prandtl_number},
                  {"reference_temperature_K", s.reference_K},
                  {"highest_velocity_mm_per_s", {u.z, u.y, u.x}},
                  {"coupling_rounds", s.rounds.size()},
                  {"coupling_change", s.change},
                  {"momentum_residual", s.momentum_residual},
                  {"unstable_states", s.unstable_states}};
  if (s.growth_per_s) numbers["disturbance_growth_per_s"] = *s.growth_per_s;
  return numbers;
}

// Report that the solution was found after an unstable steady state.
void report_stability(const buoyant_solution& s, log_sink& log) {
  if (s.unstable_states > 0 && !s.has_no_stable_state)
    log.warn(fmt::format("unstable steady states found before: {}; the result is a stable state, and others may exist",
                         s.unstable_states));
}

// Warnings that depend on the thickness of boundary layers in voxels, and on the change of the density.
void warn_of_limits(json& answers, json numbers, index3 domain, double rayleigh_number, double density_change,
                    log_sink& log) {
  if (!numbers.empty()) {
    double largest = 0, voxels = 0;
    for (const auto& [face, number] : numbers.items())
      if (number.get<double>() > largest) {
        largest = number.get<double>();
        voxels = static_cast<double>(domain[face[0] == 'z' ? 0 : face[0] == 'y' ? 1 : 2]) / (2 * largest);
      }
    answers["convection_nusselt_number"] = std::move(numbers);
    if (largest > 0) {
      answers["boundary_layer_voxels"] = voxels;
      constexpr double wanted = 3;
      if (voxels < wanted)
        log.warn(
            fmt::format("the thermal boundary layer is {:.2g} voxels thick at the Rayleigh number {:.3g}, so that heat and "
                        "velocities depend on the voxel size; use voxels of at most {:.2g} times this size",
                        voxels, rayleigh_number, voxels / wanted));
    }
  }
  constexpr double much = 0.1;
  if (density_change > much)
    log.warn(
        fmt::format("the relative density change {:.2g} exceeds 0.1, the limit of the Boussinesq approximation; reduce the "
                    "temperature differences",
                    density_change));
}

}  // namespace

json convection_nusselt_numbers(const spec& job, const std::optional<std::array<std::array<double, 2>, 3>>& rest_inflow_W,
                                const temperature_solution& heat) {
  json result = json::object();
  if (!rest_inflow_W || heat.source_W != 0) return result;
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries)
    if (b.kind == condition_kind::flux) return result;
  double highest = 0;
  for (const auto& axis : *rest_inflow_W)
    for (const double inflow : axis) highest = std::max(highest, std::abs(inflow));
  for (std::size_t side = 0; side < 6; ++side) {
    const double rest = (*rest_inflow_W)[side / 2][side % 2];
    if (constexpr double counts = 1e-6; std::abs(rest) > counts * highest)
      result[fmt::format("{}_{}", "zyx"[side / 2], side % 2 == 0 ? "low" : "high")] =
          heat.face_inflow_W[side / 2][side % 2] / rest;
  }
  return result;
}

void report_transient_buoyancy(json& answers, const spec& job, const heat_in_time& heat, log_sink& log) {
  const heat_in_time::weight_numbers s = heat.numbers_of_weight();
  answers["rayleigh_number"] = s.rayleigh_number;
  answers["rayleigh_temperature_difference_K"] = s.driving_K;
  answers["prandtl_number"] = s.prandtl_number;
  answers["reference_temperature_K"] = s.reference_K;
  const vector3 u = s.highest_velocity_mm_per_s;
  answers["highest_velocity_mm_per_s"] = {u.z, u.y, u.x};
  warn_of_limits(answers, convection_nusselt_numbers(job, heat.rest_inflow_W(), heat.history().back().heat),
                 heat.problem().where.domain, s.rayleigh_number, s.density_change, log);
}

std::vector<buoyant_solution> solve_buoyancy(const spec& job, const through_problem& flow, const temperature_problem& heat,
                                             const numerics::options& solver_options, const through_options& options,
                                             log_sink& log) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const std::vector<double>& g = *f.gravity_m_per_s2;
  numerics::options exact = solver_options;
  exact.tolerance = std::min(solver_options.tolerance, 1e-6);  // the tolerance of a flow may be larger
  std::vector<buoyant_solution> all;
  buoyant_problem problem{flow, heat, *f.expansion_per_K, {g[0], g[1], g[2]}, f.reference_temperature_K};
  for (const double multiple : flow.multiples) {
    if (flow.multiples.size() > 1) log.note(fmt::format("multiple {}", multiple));
    problem.flow.multiples = {multiple};
    for (std::size_t n = 0; n < flow.boundaries.size(); ++n)
      problem.heat.openings.at(n).value = multiple * flow.boundaries[n].value;
    if (!all.empty()) {  // only the fields of the last flow are reported
      through_solution& earlier = all.back().flow;
      for (std::vector<float>* field : {&earlier.velocity_mm_per_s, &earlier.pressure_Pa, &earlier.wall_shear_Pa})
        *field = std::vector<float>();
      earlier.face_velocity_mm_per_s = std::vector<double>();
    }
    all.push_back(solve_buoyant_flow(problem, options, exact, log));
    if (!all.back().flow.flows.front().certificate.converged) break;
  }
  return all;
}

through_solution flows_of(std::vector<buoyant_solution>& solutions) {
  through_solution all = std::move(solutions.back().flow);
  std::vector<through_flow> flows;
  for (buoyant_solution& s : solutions)
    for (through_flow& flow : &s == &solutions.back() ? all.flows : s.flow.flows) flows.push_back(std::move(flow));
  all.flows = std::move(flows);
  return all;
}

void report_buoyancy(physics_result& result, const spec& job, const local_model& part, const temperature_problem& heat,
                     const std::vector<buoyant_solution>& solutions, const through_solution& flow,
                     const std::vector<std::string>& names, log_sink& log, probes* watching) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const buoyant_solution& last = solutions.back();
  report_flow_temperature(result, job, part, heat, last.heat, flow, names, log);
  json& answers = result.answers;
  answers.update(coupling_numbers(last));
  for (const buoyant_solution& s : solutions) report_stability(s, log);
  if (last.has_no_stable_state)
    result.ended = fmt::format(
        "no stable steady state was found (unstable states: {}{}); compute the flow in time ([transient]), or reduce the "
        "temperature difference (now {:.4g} K, Rayleigh number {:.3g})",
        last.unstable_states, last.growth_per_s ? fmt::format(", disturbances grow at {:.3g} 1/s", *last.growth_per_s) : "",
        last.driving_K, last.rayleigh_number);
  else if (last.is_unsettled)
    result.ended = fmt::format(
        "no steady state was found: after {} steps of flow and temperature the relative change of the temperature is {:.1e} "
        "(tolerance {:.1e}); compute the flow in time ([transient]){}, or reduce the temperature difference (now {:.4g} K, "
        "Rayleigh number {:.3g})",
        last.rounds.size(), last.change, tolerance_of(job), f.inertia ? "" : ", set flow.inertia = true", last.driving_K,
        last.rayleigh_number);
  warn_of_limits(answers, convection_nusselt_numbers(job, last.rest_inflow_W, last.heat), last.domain, last.rayleigh_number,
                 last.density_change, log);
  json history = json::object();
  for (const buoyant_round& r : last.rounds) {
    history["temperature_change"].push_back(r.change);
    history["flow_change"].push_back(r.flow_change);
  }
  answers["coupling_history"] = history;
  std::vector<numerics::solve_certificate> certificates;
  for (std::size_t n = 0; n < solutions.size(); ++n) {
    const buoyant_solution& s = solutions[n];
    certificates.push_back(s.heat.certificate);
    if (watching != nullptr) watching->take_temperature(n, s.heat.temperature_K);
    if (!answers.contains("flows")) continue;
    json& one = answers["flows"].at(n);
    one.update(answers_of_temperature(s.heat, names, flow.hydraulic_diameter_mm, f.conductivity()));
    one.update(coupling_numbers(s));
    one["heat_iterations"] = s.heat.certificate.iterations;
  }
  result.earlier_proof = numerics::joint_certificate(certificates);
  result.stopped_at = fmt::format(
      "{}a relative temperature change of {:.2e} per step (last steps: {}; a steady state may not exist; reduce the "
      "temperature differences{})",
      f.multiples.empty() ? "" : fmt::format("multiple {}, ", flow.flows.back().multiple), last.change, history_of(last),
      f.inertia ? "" : ", or set flow.inertia = true");
}

}  // namespace osteon::physics
