#pragma once
/// @file
/// Answers that cannot be right are no answers: they are not written.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/physics_result.hpp>

namespace osteon::job {

/// Refuse a result with a number that is not finite, is beyond what fields in single precision hold, or means a deformation
/// that no solid has. Whether the solver converged does not matter.
/// @throws solve_error that names the numbers @collective on part.where.comm
void require_sensible(const local_model& part, const physics_result& result);

/// What is wrong with the answers, e.g. "sed_MPa.max = inf"; empty: nothing.
std::vector<std::string> absurdities(const nlohmann::ordered_json& answers);

}  // namespace osteon::job
