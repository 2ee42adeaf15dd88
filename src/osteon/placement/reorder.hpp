#pragma once
/// @file
/// Ranks renumbered so that those that exchange much are close: a new communicator, no relaunch.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/place.hpp>
#include <string>
#include <vector>

namespace osteon::placement {

struct reorder_options {
  options search{.least_gain = 0.03};  ///< below this gain the ranks stay as they are
  int threads = 1;                     ///< cores of each rank, where it is not bound to fewer
};

/// Expected effect of a new order on an exchange.
struct reorder_report {
  double off_host_bytes_input = 0, off_host_bytes_result = 0;  ///< both directions
  double predicted_s_input = 0, predicted_s_result = 0;
  bool kept_input = false;
  double seconds = 0;  ///< that the search took
  std::string line;    ///< for a log: "placed by ...: off-host 3758.1 MB -> 1543.5 MB, ..."
};

/// Ranks in their new order.
struct reordered {
  comm::communicator ranks;   ///< rank r of it holds subdomain r
  std::vector<int> old_rank;  ///< in the communicator it was made of, of each subdomain
  reorder_report report;
};

/// Where the ranks of a communicator run, in their order: on the host of their processor's name, each on the core that it
/// is bound to; if it is bound to several, on cores that are distributed evenly over the host's ranks.
///
/// With more ranks than cores, cores are shared.
/// @return the same on all ranks; the machine of the target is that of the hosts in use
/// @throws data_error on all ranks if a host is not in the description: a machine file of another allocation. The message
///         names up to eight such hosts.
/// @collective on comm
target places_of_ranks(MPI_Comm comm, const machine::description& machine, int threads = 1);

/// Renumber the ranks of a communicator for a graph of as many subdomains. To be called before data is loaded: what a rank
/// holds does not move.
/// @param g the graph; only that of rank 0 is looked at
/// @throws usage_error on all ranks if the graph has not as many vertices as there are ranks; else as places_of_ranks does
/// @collective on comm
reordered reorder(MPI_Comm comm, const graph& g, const machine::description& machine, const reorder_options& options = {});

/// MPI_Cart_create whose reordering works: blocks of a grid that exchange faces, on the ranks of `comm`.
/// @return ranks with a Cartesian topology of dimensions z, y, x
/// @throws as reorder does @collective on comm
reordered cart_create(MPI_Comm comm, const cartesian& grid, const machine::description& machine,
                      const reorder_options& options = {});

}  // namespace osteon::placement
