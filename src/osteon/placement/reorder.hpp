#pragma once
/// @file
/// Reordering of ranks. Ranks that exchange much data are placed close to each other. The result is a new communicator. The
/// program need not be restarted.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/place.hpp>
#include <string>
#include <vector>

namespace osteon::placement {

struct reorder_options {
  /// options of the search; if the gain is below least_gain, the order remains unchanged
  options search{.least_gain = 0.03};
  int threads = 1;  ///< number of cores of each rank that is not bound to a single core
};

/// Expected effect of a new order on an exchange.
struct reorder_report {
  double off_host_bytes_input = 0, off_host_bytes_result = 0;  ///< sum of both directions
  double predicted_s_input = 0, predicted_s_result = 0;
  bool kept_input = false;
  double seconds = 0;  ///< duration of the search in s
  std::string line;    ///< summary for a log, for example "ranks reordered: off-host 3.1 -> 1.5 MB per exchange, ..."
};

/// Ranks in the new order.
struct reordered {
  comm::communicator ranks;   ///< communicator in which rank r has subdomain r
  std::vector<int> old_rank;  ///< rank of each subdomain in the original communicator
  reorder_report report;
};

/// Determine the places of the ranks of a communicator in rank order. The processor name of a rank determines its host. If a
/// rank is bound to a single core, this core is the place of the rank. The other cores of a host are distributed evenly over
/// the other ranks of the host. If there are more ranks than cores, several ranks have the same core.
/// @return target that is equal on all ranks; the machine of the target contains the used hosts
/// @throws data_error on all ranks if the machine file does not contain a host, for example after a new allocation. The
/// message lists up to eight hosts.
/// @collective on comm
target places_of_ranks(MPI_Comm comm, const machine::description& machine, int threads = 1);

/// Renumber the ranks of a communicator for a graph with one subdomain per rank. Call this function before loading data. The
/// function does not move data between ranks.
/// @param g the graph; used on rank 0 only
/// @throws usage_error on all ranks if the numbers of vertices and ranks differ; other errors in the cases of
/// places_of_ranks
/// @collective on comm
reordered reorder(MPI_Comm comm, const graph& g, const machine::description& machine, const reorder_options& options = {});

/// Create a Cartesian communicator like MPI_Cart_create. The ranks are reordered for the exchange of faces between blocks.
/// @return ranks with a Cartesian topology; the dimensions are z, y, x
/// @throws errors in the cases of reorder @collective on comm
reordered cart_create(MPI_Comm comm, const cartesian& grid, const machine::description& machine,
                      const reorder_options& options = {});

}  // namespace osteon::placement
