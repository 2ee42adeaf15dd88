#pragma once
/// @file
/// Measurement of machine parameters for compositing.
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
/// @param ranks_per_host number of consecutive ranks that are treated as one host; 0: ranks that can share memory are one
/// host
/// @collective on comm
host_layout layout_of(MPI_Comm comm, int ranks_per_host);

/// Measure the latency, bandwidth and blend rate of the slowest rank. The measurement takes some milliseconds. All ranks
/// return the same result.
///
/// All ranks send simultaneously to another host. On a single host, the ranks send to a neighbour. The links therefore have
/// the same load as in a frame. If several ranks have the same core, the rate of each rank is divided by the number of these
/// ranks.
/// @collective on comm
net::compositing_machine probe_machine(MPI_Comm comm, kernel::pixel_format format, const host_layout& layout);

}  // namespace osteon::render
