#pragma once
/// @file
/// The figures of the machine that this program runs on.
#include <osteon/comm/communicator.hpp>
#include <osteon/kernel/blend/pixel.hpp>
#include <osteon/net/costs/compositing_machine.hpp>

namespace osteon::render {

/// How ranks are spread over hosts.
struct host_layout {
  int hosts = 1;
  int ranks_per_host = 1;  ///< of the host that has fewest
  int most_ranks = 1;      ///< of the host that has most
};

/// @param ranks_per_host take so many consecutive ranks for a host; 0: those that can share memory
/// @collective on comm
host_layout layout_of(MPI_Comm comm, int ranks_per_host);

/// Measure latency, rate and blend rate in some milliseconds, the slowest rank's of each; alike on all ranks.
///
/// Every rank sends to another host at the same time (or to its neighbour, if there is one host), so that links are as
/// loaded as in a frame. Ranks that share a core share its rates.
/// @collective on comm
net::compositing_machine probe_machine(MPI_Comm comm, kernel::pixel_format format, const host_layout& layout);

}  // namespace osteon::render
