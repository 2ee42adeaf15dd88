#pragma once
/// @file
/// Reordering of ranks: ranks with much communication are placed close to each other. The result is a new communicator. A
/// restart of the program is not required.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/place.hpp>
#include <string>
#include <vector>

namespace osteon::placement {

struct reorder_options {
  options search{.least_gain = 0.03};  ///< options of the search; with a gain below least_gain, the order remains unchanged
  int threads = 1;                     ///< cores of each rank that is not bound to a single core
};

/// Expected effect of a new order on an exchange.
struct reorder_report {
  double off_host_bytes_input = 0, off_host_bytes_result = 0;  ///< both directions
  double predicted_s_input = 0, predicted_s_result = 0;
  bool kept_input = false;
  double seconds = 0;  ///< duration of the search
  std::string line;    ///< summary for a log, for example "ranks reordered: off-host 3.1 -> 1.5 MB per exchange, ..."
};

/// Ranks in the new order.
struct reordered {
  comm::communicator ranks;   ///< communicator in which rank r has subdomain r
  std::vector<int> old_rank;  ///< rank of each subdomain in the original communicator
  reorder_report report;
};

/// Determine the places of the ranks of a communicator in rank order. The host of a rank is determined by its processor
/// name. The place of a rank bound to a single core is this core. The other cores of a host are distributed evenly over its
/// other ranks. If there are more ranks than cores, ranks share cores.
/// @return equal on all ranks; the machine of the target contains the hosts in use
/// @throws data_error on all ranks if a host is missing in the machine file (another allocation). The message lists up to
/// eight hosts.
/// @collective on comm
target places_of_ranks(MPI_Comm comm, const machine::description& machine, int threads = 1);

/// Renumber the ranks of a communicator for a graph with one subdomain per rank. Call this function before loading data,
/// because the function does not move data between ranks.
/// @param g the graph; used only on rank 0
/// @throws usage_error on all ranks if the numbers of vertices and ranks differ; otherwise as places_of_ranks
/// @collective on comm
reordered reorder(MPI_Comm comm, const graph& g, const machine::description& machine, const reorder_options& options = {});

/// Create a Cartesian communicator as MPI_Cart_create, with reordering for the exchange of faces between blocks.
/// @return ranks with a Cartesian topology of dimensions z, y, x
/// @throws as reorder does @collective on comm
reordered cart_create(MPI_Comm comm, const cartesian& grid, const machine::description& machine,
                      const reorder_options& options = {});

}  // namespace osteon::placement
