#pragma once
/// @file
/// Reordering of ranks, so that ranks with much communication are close: a new communicator without a restart.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/place.hpp>
#include <string>
#include <vector>

namespace osteon::placement {

struct reorder_options {
  options search{.least_gain = 0.03};  ///< below this gain the order of ranks is unchanged
  int threads = 1;                     ///< cores of each rank, unless it is bound to fewer
};

/// Expected effect of a new order on an exchange.
struct reorder_report {
  double off_host_bytes_input = 0, off_host_bytes_result = 0;  ///< both directions
  double predicted_s_input = 0, predicted_s_result = 0;
  bool kept_input = false;
  double seconds = 0;  ///< duration of the search
  std::string line;    ///< for a log: "placed by ...: off-host 3758.1 MB -> 1543.5 MB, ..."
};

/// Ranks in their new order.
struct reordered {
  comm::communicator ranks;   ///< communicator in which rank r has subdomain r
  std::vector<int> old_rank;  ///< rank of each subdomain in the original communicator
  reorder_report report;
};

/// Places of the ranks of a communicator in rank order: on the host of their processor name, each on the core to which it is
/// bound; if bound to several, on cores distributed evenly over the ranks of the host.
///
/// With more ranks than cores, cores are shared.
/// @return equal on all ranks; the machine of the target contains the hosts in use
/// @throws data_error on all ranks if the machine file lacks a host (another allocation). The message names up to eight such
/// hosts.
/// @collective on comm
target places_of_ranks(MPI_Comm comm, const machine::description& machine, int threads = 1);

/// Renumber the ranks of a communicator for a graph with one subdomain per rank. Call before data are loaded: data of a rank
/// are not moved.
/// @param g the graph; significant on rank 0 only
/// @throws usage_error on all ranks if the number of vertices differs from the number of ranks; else as places_of_ranks
/// @collective on comm
reordered reorder(MPI_Comm comm, const graph& g, const machine::description& machine, const reorder_options& options = {});

/// MPI_Cart_create with effective reordering: blocks of a grid that exchange faces, on the ranks of `comm`.
/// @return ranks with a Cartesian topology of dimensions z, y, x
/// @throws as reorder does @collective on comm
reordered cart_create(MPI_Comm comm, const cartesian& grid, const machine::description& machine,
                      const reorder_options& options = {});

}  // namespace osteon::placement
