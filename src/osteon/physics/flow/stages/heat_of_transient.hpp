#pragma once
/// @file
/// The temperature of a flow job in time.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// What [transient] and the heat capacities of materials say of the temperature. @collective local
heat_time_plan make_heat_time_plan(const spec& job, const local_model& part, const numerics::options& how);

/// The problem of the temperature, with the one at the start. @collective local
temperature_problem make_heat_in_time(const spec& job, const local_model& part, const through_problem& flow,
                                      const std::vector<std::size_t>& table_of);

/// Add what each record says of the temperature to the history of the flow.
void add_heat_history(nlohmann::ordered_json& history, const spec& job, const heat_in_time& heat,
                      const std::vector<std::string>& names);

/// Answers, field and certificate of the temperature at the end. After the flow is shown. @collective on part.where.comm
void tell_heat_in_time(physics_result& result, const spec& job, const local_model& part, const heat_in_time& heat,
                       const transient_flow_solution& flow, const std::vector<std::string>& names, log_sink& log);

}  // namespace osteon::physics
