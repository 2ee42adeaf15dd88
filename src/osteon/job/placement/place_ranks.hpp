#pragma once
/// @file
/// Where the ranks of a job run, and which of them gets which part of the image: decided before anything is read.
#include <mpi.h>

#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <string>
#include <utility>

namespace osteon::job {

/// Ranks in the order in which they get their parts.
class placed_ranks {
 public:
  explicit placed_ranks(MPI_Comm given) : given_(given) {}
  explicit placed_ranks(comm::communicator made) : made_(std::move(made)), given_(made_.get()) {}
  MPI_Comm comm() const { return given_; }

 private:
  comm::communicator made_;
  MPI_Comm given_;
};

/// Seconds of a piece of work of this rank that loads the memory as a job does. @collective
using rank_timer = std::function<double(MPI_Comm)>;

/// Bind the ranks as run.bind says, and renumber them on what was measured between their hosts, if there are several and
/// run.place is set. Results do not change. What was done is told in one line.
///
/// Hosts are measured in two seconds, and once for the same hosts: the machine file is kept in $OSTEON_CACHE, or in
/// osteon/ of the user's cache folder, for a week. If they cannot be measured, ranks keep their order.
/// @param graph of the job's ranks and what its weights are in words, asked for only if there are several hosts; collective
/// on comm
/// @param seconds_of_iteration measures each binding for run.bind = "measured"
/// @throws machine_error on all ranks if a binding that was asked for by name is not possible
/// @collective on comm
placed_ranks place_ranks(MPI_Comm comm, const spec& job,
                         const std::function<std::pair<placement::graph, std::string>()>& graph,
                         const rank_timer& seconds_of_iteration, log_sink& log);

}  // namespace osteon::job
