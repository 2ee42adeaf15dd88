#pragma once
/// @file
/// Answers of a flow between openings. The flow is steady, or is a transient flow at a time.
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Return true if the boundary is not a wall, and if fluid flows through the boundary.
inline bool is_opening(const boundary_flow& b) { return b.highest_velocity_mm_per_s != 0; }
nlohmann::ordered_json answers_of_flow(const through_flow& flow, const std::vector<std::string>& names,
                                       const flow_keys& keys, const std::array<bool, 3>& is_periodic);
/// Add the answer on upwinding. If the effect of upwinding is large, add a warning.
void warn_of_upwinding(const spec& job, const through_flow& flow, nlohmann::ordered_json& answers, log_sink& log);
/// Describe the voxels, parts and walls of the fluid.
nlohmann::ordered_json describe(const flow_counts& counts);
void report_fluid(const through_solution& solution, nlohmann::ordered_json& answers);
nlohmann::ordered_json through_load(const spec& job, const local_model& part);
/// Return the conditions on faces and openings, and the inflow, in the format of scene.json. @param answers answers that
/// contain the load
nlohmann::ordered_json openings_of_load(const nlohmann::ordered_json& answers);

}  // namespace osteon::physics
