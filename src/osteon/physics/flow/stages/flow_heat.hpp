#pragma once
/// @file
/// The temperature of a flow job.
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

class probes;

/// Description of the temperature field.
io::field_info flow_temperature_info();

/// The temperature problem without velocities. @param boundaries boundaries of the flow, each with the index of its table
temperature_problem make_temperature_problem(const spec& job, const local_model& part, const voxel::run_set& fluid,
                                             const std::vector<flow_boundary>& boundaries,
                                             const std::vector<std::size_t>& table_of);

/// Answers of one flow and of its temperature.
nlohmann::ordered_json answers_of_temperature(const temperature_solution& s, const std::vector<std::string>& names,
                                              double hydraulic_diameter_mm, double conductivity);

/// Add the answers, field and certificate of a temperature. @collective on part.where.comm
void report_flow_temperature(physics_result& result, const spec& job, const local_model& part,
                             const temperature_problem& problem, const temperature_solution& s, const through_solution& flow,
                             const std::vector<std::string>& names, log_sink& log);

/// Solve for the temperature that a flow transports. Add the answers, the field and the certificate of the temperature to
/// `result`.
/// @param names names of the boundaries @param temperature_K receives the temperature of each active cell; null: not
/// requested
/// @param watching receives the temperatures after the flows; null: the job has no probes
/// @collective on part.where.comm
void add_flow_temperature(physics_result& result, const spec& job, const local_model& part, temperature_problem problem,
                          const through_solution& flow, const std::vector<std::string>& names,
                          const numerics::options& solver_options, log_sink& log,
                          std::vector<double>* temperature_K = nullptr, probes* watching = nullptr);

}  // namespace osteon::physics
