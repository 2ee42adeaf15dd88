#pragma once
/// @file
/// Measurement of the machine parameters of compositing.
#include <osteon/comm/communicator.hpp>
#include <osteon/kernel/blend/pixel.hpp>
#include <osteon/net/costs/compositing_machine.hpp>

namespace osteon::render {

/// Distribution of ranks over hosts.
struct host_layout {
  int hosts = 1;
  int ranks_per_host = 1;  ///< minimum over hosts
  int most_ranks = 1;      ///< maximum over hosts
};

/// Determine the layout.
/// @param ranks_per_host number of consecutive ranks of each assumed host; 0 groups the ranks that can share memory
/// @collective on comm
host_layout layout_of(MPI_Comm comm, int ranks_per_host);

/// Measure latency, bandwidth and blend rate of the slowest rank. The measurement requires some milliseconds. All ranks
/// return the same result.
///
/// All ranks send simultaneously to another host; on a single host, they send to their neighbour. Therefore the links have
/// the same load as in a frame. If ranks share a core, the rate of each rank is divided by the number of these ranks.
/// @collective on comm
net::compositing_machine probe_machine(MPI_Comm comm, kernel::pixel_format format, const host_layout& layout);

}  // namespace osteon::render
