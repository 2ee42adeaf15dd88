#pragma once
/// @file
/// Measured messages and waiting times of a run, and comparison with the network model.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/comm/message_ledger.hpp>

namespace osteon::job {

/// Measure the network of the run, and add `messages` to a summary. `messages` contains the messages of each plan, the
/// waiting time of the ranks, and the modelled time. Add the modelled time to `stages` of the summary. Add a fraction to
/// `solver` of the summary: the fraction of the time of the stage "solving" in which ranks did not wait.
/// @param summary on rank 0: summary with an entry for each stage of the ledger (message_ledger::begin_stage); ignored on
/// other ranks
/// @collective on comm
void add_messages(MPI_Comm comm, const comm::message_ledger& counted, int restarts, nlohmann::ordered_json& summary);

}  // namespace osteon::job
