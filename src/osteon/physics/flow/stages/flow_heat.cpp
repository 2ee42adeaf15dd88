#include <osteon/physics/flow/stages/flow_heat.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/numerics/joint_certificate.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/probes/probes.hpp>
#include <osteon/physics/flow/stages/through_problem.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double per_mm2 = 1e-6, per_mm3 = 1e-9;  // factors from 1/m2 to 1/mm2, and from 1/m3 to 1/mm3

// Conditions of heat on faces of the image. The tables of these faces define the conditions.
std::vector<heat_boundary> heat_conditions_of(const spec& job, vector3 origin_mm) {
  std::vector<heat_boundary> all;
  for (std::size_t n = 0; n < job.groups.of<condition_keys>().boundaries.size(); ++n) {
    const boundary_spec& b = job.groups.of<condition_keys>().boundaries[n];
    if (!is_thermal_condition(b)) continue;
    heat_boundary one;
    one.heat.kind = *b.kind == condition_kind::flux         ? numerics::thermal::flux
                    : *b.kind == condition_kind::convection ? numerics::thermal::convection
                                                            : numerics::thermal::temperature;
    one.heat.temperature_K = b.temperature_K.value_or(0);
    one.heat.flux_W_per_mm2 = per_mm2 * b.flux_W_per_m2.value_or(0);
    one.heat.transfer_W_per_mm2K = per_mm2 * b.transfer_W_per_m2K.value_or(0);
    for (flow_boundary& where : faces_of_table(job, n, origin_mm)) {
      one.place = std::move(where);
      all.push_back(one);
    }
  }
  return all;
}

json by_face(const std::array<std::array<double, 2>, 3>& heat) {
  json faces = json::object();
  for (std::size_t side = 0; side < 6; ++side)
    faces[fmt::format("{}_{}", "zyx"[side / 2], side % 2 == 0 ? "low" : "high")] = heat[side / 2][side % 2];
  return faces;
}

// Heat flow of the walls divided by the wall area and by the logarithmic mean temperature difference [W/(m2 K)]. If the
// value is undefined, the result is NaN. The heat flow does not include heat that is conducted through openings. At the rim
// of an inlet, conducted heat grows without limit as the voxel size decreases. The logarithmic mean is based on the heat of
// the stream. This heat does not include conducted heat either.
double transfer_coefficient(const temperature_solution& s) {
  const double in = s.walls.mean_K - s.in_K, out = s.walls.mean_K - s.out_K;
  if (!(in * out > 0) || !(s.walls.area_mm2 > 0)) return NAN;
  const double ratio = in / out;
  const double mean = std::abs(ratio - 1) < 1e-6 ? (in + out) / 2 : (in - out) / std::log(ratio);
  double heat = s.walls.heat_W;
  for (const opening_heat& o : s.openings) heat += o.conducted_W;
  const double value = heat / (per_mm2 * s.walls.area_mm2 * mean);
  return value > 0 ? value : NAN;
}

}  // namespace

json answers_of_temperature(const temperature_solution& s, const std::vector<std::string>& names,
                            double hydraulic_diameter_mm, double conductivity) {
  json answers;
  answers["temperature_K"] = {{"mean", s.mean_K}, {"low", s.low_K}, {"high", s.high_K}, {"fluid", s.mean_fluid_K}};
  if (std::isfinite(s.mean_solid_K)) answers["temperature_K"]["solid"] = s.mean_solid_K;
  answers["opening_temperature_K"] = json::object();
  for (std::size_t n = 0; n < names.size(); ++n)
    if (std::isfinite(s.openings[n].mixed_K)) answers["opening_temperature_K"][names[n]] = s.openings[n].mixed_K;
  answers["face_inflow_W"] = by_face(s.face_inflow_W);
  answers["heat_source_W"] = s.source_W;
  answers["heat_carried_out_W"] = s.carried_out_W;
  if (s.walls.area_mm2 > 0) {
    answers["wall_heat_W"] = s.walls.heat_W;
    answers["wall_temperature_K"] = s.walls.mean_K;
    if (const double h = transfer_coefficient(s); std::isfinite(h)) {
      answers["heat_transfer_coefficient_W_per_m2K"] = h;
      answers["nusselt_number"] = h * 1e-3 * hydraulic_diameter_mm / conductivity;
    }
  }
  answers["heat_imbalance"] = s.certificate.reaction_imbalance;
  answers["temperature_overshoot_K"] = s.overshoot_K;
  answers["cell_peclet_number"] = s.cell_peclet_number;
  answers["limited_share"] = s.limited_share;
  return answers;
}

namespace {

// Solve the temperatures of all flows, except the last flow. The function adds the answers to the flows. @return
// certificates
// @collective
std::vector<numerics::solve_certificate> solve_earlier_temperatures(
    json& flows, temperature_problem problem, const through_solution& flow, const std::vector<std::string>& names,
    double conductivity, const numerics::options& solver_options, log_sink& log, probes* watching) {
  const std::vector<flow_boundary> last = problem.openings;
  std::vector<numerics::solve_certificate> certificates;
  for (std::size_t n = 0; n < flow.earlier_face_velocity_mm_per_s.size(); ++n) {
    problem.face_velocity_mm_per_s = flow.earlier_face_velocity_mm_per_s[n];
    for (std::size_t b = 0; b < last.size(); ++b)
      problem.openings[b].value = last[b].value * flow.flows[n].multiple / flow.flows.back().multiple;
    const temperature_solution s = solve_flow_temperature(problem, solver_options, log);
    if (watching != nullptr) watching->take_temperature(n, s.temperature_K);
    flows.at(n).update(answers_of_temperature(s, names, flow.hydraulic_diameter_mm, conductivity));
    flows.at(n)["heat_iterations"] = s.certificate.iterations;
    certificates.push_back(s.certificate);
  }
  return certificates;
}

}  // namespace

io::field_info flow_temperature_info() { return {"temperature", "temperature", "K", io::centring::cell, 1}; }

temperature_problem make_temperature_problem(const spec& job, const local_model& part, const voxel::run_set& fluid,
                                             const std::vector<flow_boundary>& boundaries,
                                             const std::vector<std::size_t>& table_of) {
  const flow_keys& f = job.groups.of<flow_keys>();
  temperature_problem problem;
  problem.where = part.where;
  problem.spacing_mm = part.header.spacing_mm;
  problem.cells = part.cells;
  problem.material = part.material;
  problem.materials = part.header.materials;
  problem.source_W_per_mm3.assign(problem.materials.size(), 0);
  // The fluid is material 1. The materials of the job follow the fluid.
  problem.materials.at(1).conductivity_W_per_mK = f.conductivity();
  problem.source_W_per_mm3.at(1) = per_mm3 * f.heat_source_W_per_m3;
  for (std::size_t n = 0; n < job.materials.size() && n + 2 < problem.materials.size(); ++n)
    problem.source_W_per_mm3[n + 2] = per_mm3 * job.materials[n].heat_source_W_per_m3;
  problem.fluid = fluid;
  problem.heat_capacity_J_per_mm3K = per_mm3 * f.heat_capacity();
  problem.convection = f.heat_convection == heat_differences::hybrid    ? physics::heat_convection::hybrid
                       : f.heat_convection == heat_differences::central ? physics::heat_convection::central
                                                                        : heat_convection::limited;
  problem.openings = boundaries;
  const double last = f.multiples.empty() ? 1 : f.multiples.back();
  for (flow_boundary& b : problem.openings) b.value *= last;
  for (const std::size_t n : table_of)
    problem.incoming_K.push_back(job.groups.of<condition_keys>().boundaries[n].temperature_K);
  problem.conditions = heat_conditions_of(job, part.header.origin_mm);
  return problem;
}

void add_flow_temperature(physics_result& result, const spec& job, const local_model& part, temperature_problem problem,
                          const through_solution& flow, const std::vector<std::string>& names,
                          const numerics::options& solver_options, log_sink& log, std::vector<double>* temperature_K,
                          probes* watching) {
  log.note("temperature");
  const double conductivity = job.groups.of<flow_keys>().conductivity();
  problem.face_velocity_mm_per_s = flow.face_velocity_mm_per_s;
  numerics::options exact = solver_options;
  exact.tolerance = std::min(solver_options.tolerance, 1e-6);  // the tolerance of a flow may be larger
  json& answers = result.answers;
  std::vector<numerics::solve_certificate> certificates;
  if (answers.contains("flows"))
    certificates = solve_earlier_temperatures(answers["flows"], problem, flow, names, conductivity, exact, log, watching);
  temperature_solution s = solve_flow_temperature(problem, exact, log);
  certificates.push_back(s.certificate);
  if (watching != nullptr) watching->take_temperature(s.temperature_K);
  if (answers.contains("flows")) {
    answers["flows"].back().update(answers_of_temperature(s, names, flow.hydraulic_diameter_mm, conductivity));
    answers["flows"].back()["heat_iterations"] = s.certificate.iterations;
  }
  report_flow_temperature(result, job, part, problem, s, flow, names, log);
  result.earlier_proof = numerics::joint_certificate(certificates);
  if (!result.earlier_proof->converged)
    result.stopped_at = fmt::format("a temperature residual of {:.2e}", result.earlier_proof->true_relative_residual);
  if (temperature_K) *temperature_K = std::move(s.temperature_K);
}

void report_flow_temperature(physics_result& result, const spec& job, const local_model& part,
                             const temperature_problem& problem, const temperature_solution& s, const through_solution& flow,
                             const std::vector<std::string>& names, log_sink& log) {
  result.earlier_proof = s.certificate;
  json& answers = result.answers;
  answers.update(answers_of_temperature(s, names, flow.hydraulic_diameter_mm, job.groups.of<flow_keys>().conductivity()));
  answers["heat_certificate"] = certificate_of_stage(s.certificate);
  if (!result.earlier_proof->converged)
    result.stopped_at = fmt::format("a temperature residual of {:.2e}", result.earlier_proof->true_relative_residual);
  constexpr double much = 0.01;
  const double range = s.high_K - s.low_K;
  if (range > 0 && s.overshoot_K > much * range)
    log.warn(
        fmt::format("the temperature exceeds the range of the prescribed temperatures by {:.3g} K at a voxel Peclet number "
                    "of {:.3g}; use smaller voxels or flow.heat_convection = \"limited\"",
                    s.overshoot_K, s.cell_peclet_number));

  cell_values temperature;
  comm::collectively(part.where.comm, [&] { temperature = share({s.temperature_K.begin(), s.temperature_K.end()}); });
  result.fields.push_back({flow_temperature_info(), [&part, temperature] { return cell_planes(part, temperature); }});
  result.shown_name = "temperature";
  result.shown_title = "temperature";
  result.shown_units = "K";
  result.shown_low = s.low_K;
  result.shown_high = s.high_K;
  result.lines_show_field = true;
  if (!job.picture.enabled) return;
  comm::collectively(part.where.comm, [&] {
    // The solid is drawn as the complement of the fluid.
    std::vector<float> fluid(temperature->size(), std::numeric_limits<float>::quiet_NaN());
    for (const voxel::run& r : problem.fluid.runs()) {
      const auto first = static_cast<std::ptrdiff_t>(part.cells.find(r.z, r.y, r.x));
      std::copy_n(temperature->begin() + first, r.length, fluid.begin() + first);
    }
    result.shown = share(std::move(fluid));
  });
}

}  // namespace osteon::physics
