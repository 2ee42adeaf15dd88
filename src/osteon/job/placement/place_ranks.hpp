#pragma once
/// @file
/// Placement of ranks and assignment of subdomains to ranks, before any data are read.
#include <mpi.h>

#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <string>
#include <utility>

namespace osteon::job {

/// Ranks in the order of their subdomains.
class placed_ranks {
 public:
  explicit placed_ranks(MPI_Comm given) : given_(given) {}
  explicit placed_ranks(comm::communicator made) : made_(std::move(made)), given_(made_.get()) {}
  MPI_Comm comm() const { return given_; }

 private:
  comm::communicator made_;
  MPI_Comm given_;
};

/// Returns the time in seconds of a benchmark on this rank with the memory load of a job. @collective
using rank_timer = std::function<double(MPI_Comm)>;

/// Bind the ranks according to run.bind. If there are several hosts and run.place is set, renumber the ranks by the measured
/// links between the hosts. Results do not change. The log reports the placement in one line.
///
/// The measurement of a set of hosts takes two seconds. The machine file with the result is stored for a week in
/// $OSTEON_CACHE, or in osteon/ of the user's cache folder. If the measurement fails, ranks keep their order.
/// @param graph returns the graph of the job's ranks and a description of its weights; called only if there are several
/// hosts; collective on comm
/// @param seconds_of_iteration measures each binding for run.bind = "measured"
/// @throws machine_error on all ranks if a binding requested by name is not possible
/// @collective on comm
placed_ranks place_ranks(MPI_Comm comm, const spec& job,
                         const std::function<std::pair<placement::graph, std::string>()>& graph,
                         const rank_timer& seconds_of_iteration, log_sink& log);

}  // namespace osteon::job
