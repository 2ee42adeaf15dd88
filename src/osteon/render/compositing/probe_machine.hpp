#pragma once
/// @file
/// Measurement of the machine for compositing.
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

/// Determine the layout. @param ranks_per_host number of consecutive ranks treated as a host; 0: ranks that can share memory
/// @collective on comm
host_layout layout_of(MPI_Comm comm, int ranks_per_host);

/// Measure latency, rate and blend rate of the slowest rank in some milliseconds. The result is the same on all ranks.
///
/// All ranks send to another host simultaneously (on one host, to their neighbour), so that links are as loaded as in a
/// frame. Ranks that share a core share its rates.
/// @collective on comm
net::compositing_machine probe_machine(MPI_Comm comm, kernel::pixel_format format, const host_layout& layout);

}  // namespace osteon::render
