#pragma once
/// @file
/// Where ranks may run.
#include <optional>
#include <osteon/machine/links.hpp>
#include <osteon/placement/host_network.hpp>
#include <vector>

namespace osteon::placement {

/// The places of a machine that ranks may take, in the order in which they would be taken without a placement: rank r is
/// at place r.
struct target {
  machine::description machine;        ///< all hosts of which have a place
  std::vector<machine::place> places;  ///< each core once
  host_network network;                ///< between the machine's hosts

  int hosts() const { return machine.hosts.size(); }
  /// Places on each host: indices into `places`, by core.
  std::vector<std::vector<int>> by_host() const;
};

/// Every usable core, host after host in the order of its tree, and the network as measured.
/// @throws data_error if there is none, or nothing was measured
target every_core(machine::description machine);

/// The same on a modelled network. @throws usage_error, data_error as network_of and every_core do
target every_core(machine::description machine, std::shared_ptr<const net::network> model);

/// Seconds of a message between two cores, one at a time: latency and seconds per byte.
struct path_cost {
  double latency_s = 0, s_per_byte = 0;
  double time(double bytes) const { return latency_s + s_per_byte * bytes; }
};
/// Of each path inside a host; as assumed for an ordinary host where nothing was measured.
std::array<path_cost, machine::paths_inside> costs_inside(const machine::description& machine);

}  // namespace osteon::placement
