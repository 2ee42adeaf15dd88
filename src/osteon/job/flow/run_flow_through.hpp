#pragma once
/// @file
/// The stage of a flow job between openings.
#include <osteon/job/flow/flow_keys.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/solve/flow/flow_through.hpp>

namespace osteon::job {

/// @param temperature_K becomes that of each active cell, with flow.heat and if the flow converged; null: not wanted
/// @collective on part.where.comm
physics_result run_flow_through(const spec& job, const local_model& part, const solve::options& how, log_sink& log,
                                std::vector<double>* temperature_K = nullptr);

/// The faults of its conditions on the fluid. @throws as solve_flow_through @collective on part.where.comm
void check_flow_through_on(const spec& job, const local_model& part);

// What a flow in time has in common with it.

/// The face of a [[boundary]], or both of an axis, or the part of them that it names; without what happens there.
/// @param origin_mm of the image, z, y, x: the table speaks of places from there @collective local
std::vector<solve::flow_boundary> faces_of_table(const spec& job, std::size_t table, vector3 origin_mm);
/// Without its labels (add_solid_labels). @param table_of [[boundary]] of each of its conditions @collective local
solve::through_problem make_through_problem(const spec& job, const local_model& part, std::vector<std::size_t>& table_of);
/// @param how borrowed
solve::through_options through_options_of(const solve::options& how);
/// By condition: the face or label, and from the second condition on one of these on a number.
std::vector<std::string> names_of_openings(const spec& job, const solve::through_problem& problem,
                                           const std::vector<std::size_t>& table_of);
/// Whether something passes: not a wall.
inline bool is_opening(const solve::boundary_flow& b) { return b.highest_velocity_mm_per_s != 0; }
nlohmann::ordered_json answers_of_flow(const solve::through_flow& flow, const std::vector<std::string>& names,
                                       const flow_keys& keys, const std::array<bool, 3>& is_periodic);
/// An answer, and a warning where it is much.
void tell_of_upwinding(const spec& job, const solve::through_flow& flow, nlohmann::ordered_json& answers, log_sink& log);
void tell_of_fluid(const solve::through_solution& solution, nlohmann::ordered_json& answers);
nlohmann::ordered_json through_load(const spec& job, const local_model& part);
/// What is given on faces and openings, and what flows in, for scene.json. @param answers with load
nlohmann::ordered_json openings_of_load(const nlohmann::ordered_json& answers);

}  // namespace osteon::job
