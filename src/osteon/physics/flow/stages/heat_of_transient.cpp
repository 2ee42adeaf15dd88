#include <osteon/physics/flow/stages/heat_of_transient.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/stages/buoyancy.hpp>
#include <osteon/physics/flow/stages/flow_heat.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double capacity_per_mm3 = 1e-9;  // from 1/m3

json number_or_none(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string name_of_side(std::size_t side) { return fmt::format("{}_{}", "zyx"[side / 2], side % 2 == 0 ? "low" : "high"); }

}  // namespace

heat_time_plan make_heat_time_plan(const spec& job, const local_model& part, const numerics::options& how) {
  const flow_keys& f = job.groups.of<flow_keys>();
  heat_time_plan plan;
  plan.heat_capacity_J_per_mm3K.assign(part.header.materials.size(), 0);
  plan.heat_capacity_J_per_mm3K.at(1) = capacity_per_mm3 * f.heat_capacity();
  for (std::size_t n = 0; n < job.materials.size() && n + 2 < plan.heat_capacity_J_per_mm3K.size(); ++n)
    plan.heat_capacity_J_per_mm3K[n + 2] = capacity_per_mm3 * job.materials[n].heat_capacity_J_per_m3K.value_or(0);
  plan.implicitness = job.groups.of<condition_keys>().transient->scheme == time_scheme::implicit_euler ? 1 : 0.5;
  plan.tolerance = std::min(how.tolerance, 1e-6);  // that of a flow may be coarser
  plan.max_iterations = how.max_iterations;
  if (f.expansion_per_K) {
    const std::vector<double>& g = *f.gravity_m_per_s2;
    plan.weight = {*f.expansion_per_K, {g[0], g[1], g[2]}, f.reference_temperature_K};
  }
  return plan;
}

temperature_problem make_heat_in_time(const spec& job, const local_model& part, const through_problem& flow,
                                      const std::vector<std::size_t>& table_of) {
  temperature_problem problem = make_temperature_problem(job, part, flow.cells, flow.boundaries, table_of);
  problem.initial_K = job.groups.of<condition_keys>().transient->initial_K;
  return problem;
}

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

void tell_heat_in_time(physics_result& result, const spec& job, const local_model& part, const heat_in_time& heat,
                       const transient_flow_solution& flow, const std::vector<std::string>& names, log_sink& log) {
  temperature_solution s = heat.history().back().heat;
  comm::collectively(part.where.comm, [&] { s.temperature_K = heat.temperature_K(); });
  const double of_last_step = s.certificate.reaction_imbalance;
  s.certificate = heat.certificate();
  tell_flow_temperature(result, job, part, heat.problem(), s, flow.end, names, log);
  json& answers = result.answers;
  answers["heat_stored_W"] = s.stored_W;
  answers["heat_imbalance"] = of_last_step;
  answers["highest_heat_imbalance"] = s.certificate.reaction_imbalance;
  if (job.groups.of<flow_keys>().expansion_per_K) tell_buoyancy_in_time(answers, job, heat, log);
  constexpr double little = 1e-3;
  if (heat.returned_share() > little)
    log.warn(
        fmt::format("openings without temperature_K let fluid back in, at the worst {:.2g} % of the inflow: it is taken to "
                    "have the temperature that is there; give these openings a temperature_K",
                    100 * heat.returned_share()));
}

}  // namespace osteon::physics
