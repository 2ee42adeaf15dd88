#pragma once
/// @file
/// Buoyancy in a flow job: solution and answers.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/solver/transport/buoyant_flow.hpp>
#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

class probes;

/// Solve each multiple. The initial guess is the flow of the multiple without buoyancy. Only the solution of the last
/// multiple has fields. If a multiple does not converge, later multiples are not solved.
/// @param heat heat problem; its velocities are not used @param options options of the flow @collective on flow.where.comm
std::vector<buoyant_solution> solve_buoyancy(const spec& job, const through_problem& flow, const temperature_problem& heat,
                                             const numerics::options& solver_options, const through_options& options,
                                             log_sink& log);

/// Return all flows of the solutions, with the fields of the last flow. The function moves the fields out of `solutions`.
through_solution flows_of(std::vector<buoyant_solution>& solutions);

/// Add temperatures and the effects of buoyancy to the answers of flow and heat. @param flow result of flows_of
/// @param watching receives the temperatures after the flows; null: the job has no probes @collective on part.where.comm
void report_buoyancy(physics_result& result, const spec& job, const local_model& part, const temperature_problem& heat,
                     const std::vector<buoyant_solution>& solutions, const through_solution& flow,
                     const std::vector<std::string>& names, log_sink& log, probes* watching);

/// Ratio of the heat flow through each face to the heat flow when the fluid is at rest. If faces and films are not the only
/// heat sources, the result contains no ratios.
nlohmann::ordered_json convection_nusselt_numbers(const spec& job,
                                                  const std::optional<std::array<std::array<double, 2>, 3>>& rest_inflow_W,
                                                  const temperature_solution& heat);

/// Add the final answers of transient buoyancy. @collective on the communicator of the heat problem
void report_transient_buoyancy(nlohmann::ordered_json& answers, const spec& job, const heat_in_time& heat, log_sink& log);

}  // namespace osteon::physics
