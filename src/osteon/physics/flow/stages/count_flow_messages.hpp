#pragma once
/// @file
/// Messages of a flow job for the plans of the job.
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

/// Set up the solver on virtual ranks, and execute one step. The solver marks its parts with comm::sent_part.
/// @return the fields that the job writes @throws errors of run_flow @collective on part.where.comm, a communicator of
/// virtual ranks
std::vector<io::field_info> count_flow_messages(const spec& job, const local_model& part,
                                                const numerics::message_count& count);

/// Reason why count_flow_messages does not support a job. If the job is supported, the text is empty.
std::string reason_flow_not_counted(const spec& job);

}  // namespace osteon::physics
