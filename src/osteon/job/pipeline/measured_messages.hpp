#pragma once
/// @file
/// Measured messages and waiting times of a run, compared with the network model.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/comm/message_ledger.hpp>

namespace osteon::job {

/// Measure the network of the run and add `messages` to a summary: messages counted by plan, waiting time of the ranks, and
/// modelled time. Add the modelled time to `stages`. Add to `solver` the fraction of the time of the stage "solving" in
/// which ranks did not wait.
/// @param summary on rank 0, with an entry for each stage of the ledger (message_ledger::begin_stage); ignored elsewhere
/// @collective on comm
void add_messages(MPI_Comm comm, const comm::message_ledger& counted, int restarts, nlohmann::ordered_json& summary);

}  // namespace osteon::job
