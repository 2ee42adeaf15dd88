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

/// Bind the ranks according to run.bind, and renumber them by the measured links between their hosts, if there are several
/// and run.place is set. Results do not change. The log reports the placement in one line.
///
/// Measuring hosts takes two seconds, once per set of hosts: the machine file is stored in $OSTEON_CACHE, or in osteon/ of
/// the user's cache folder, for a week. If the measurement fails, ranks keep their order.
/// @param graph returns the graph of the job's ranks and a description of its weights; called only if there are several
/// hosts; collective on comm
/// @param seconds_of_iteration measures each binding for run.bind = "measured"
/// @throws machine_error on all ranks if a binding requested by name is not possible
/// @collective on comm
placed_ranks place_ranks(MPI_Comm comm, const spec& job,
                         const std::function<std::pair<placement::graph, std::string>()>& graph,
                         const rank_timer& seconds_of_iteration, log_sink& log);

}  // namespace osteon::job
