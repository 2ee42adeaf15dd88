#pragma once
/// @file
/// What a flow job sends, for its plans.
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <vector>

namespace osteon::numerics {
struct message_count;
}

namespace osteon::physics {

/// Set the solver up on virtual ranks and let it take a step: its parts are those that it marks (comm::sent_part).
/// @return the fields that will be written @throws as run_flow @collective on part.where.comm, of virtual ranks
std::vector<io::field_info> rehearse_flow(const spec& job, const local_model& part, const numerics::message_count& count);

/// Why rehearse_flow does not know what a job sends; empty: it does.
std::string why_flow_is_not_rehearsed(const spec& job);

}  // namespace osteon::physics
