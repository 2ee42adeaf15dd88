#pragma once
/// @file
/// What a run has sent, and how long it waited for that, beside what the model of its network says.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/comm/message_ledger.hpp>

namespace osteon::job {

/// Measure the network of the run and put `messages` into a summary: what was counted by plan, the time that ranks waited
/// for it, and the time that the model says; the model's time into its `stages`, too, and the share of the time of the stage
/// "solving" in which ranks did not wait into `solver`.
/// @param summary on rank 0, with a stage for each that the ledger has (message_ledger::begin_stage); ignored elsewhere
/// @collective on comm
void add_messages(MPI_Comm comm, const comm::message_ledger& counted, int restarts, nlohmann::ordered_json& summary);

}  // namespace osteon::job
