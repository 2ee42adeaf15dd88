#pragma once
/// @file
/// Buoyancy in a flow job: its keys, their check, its run and its answers.
#include <osteon/job/flow/flow_keys.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/solve/flow/buoyancy/buoyant_flow.hpp>
#include <osteon/solve/flow/heat_in_time/heat_in_time.hpp>

namespace osteon::job {

void describe_buoyancy(key_visitor& v, flow_keys& f);
void check_buoyancy(const spec& job, std::vector<problem>& problems);
std::vector<answer> buoyancy_answers();

/// @param heat its velocities are not read @param options of the flow @collective on flow.where.comm
solve::buoyant_solution solve_buoyancy(const spec& job, const solve::through_problem& flow,
                                       const solve::temperature_problem& heat, const solve::options& how,
                                       const solve::through_options& options, log_sink& log);

/// What buoyancy adds to the answers of flow and heat. @param solution but for its flow
void tell_buoyancy(physics_result& result, const spec& job, const solve::buoyant_solution& solution, log_sink& log);

/// Heat through the faces over that with the fluid at rest, by face; none where other than faces and films heat.
nlohmann::ordered_json convection_nusselt_numbers(const spec& job,
                                                  const std::optional<std::array<std::array<double, 2>, 3>>& rest_inflow_W,
                                                  const solve::temperature_solution& heat);

/// The numbers of buoyancy in time, at the end. @collective on the communicator of the heat
void tell_buoyancy_in_time(nlohmann::ordered_json& answers, const spec& job, const solve::heat_in_time& heat, log_sink& log);

}  // namespace osteon::job
