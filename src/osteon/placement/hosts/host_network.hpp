#pragma once
/// @file
/// Costs of the paths between hosts, from a network model or from measurements.
#include <memory>
#include <osteon/machine/links/links.hpp>
#include <osteon/net/networks/network.hpp>
#include <osteon/placement/hosts/fabric.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Links and distances between hosts.
struct host_network {
  fabric links;
  /// Cost per byte between two hosts, shape (hosts, hosts). An empty table means that all pairs have equal costs.
  std::vector<float> distance;
};

/// Modelled network. Host h is PU h. Distances are numbers of links on the route.
/// @throws usage_error if there are more hosts than PUs, or more than 16384 hosts
host_network network_of(std::shared_ptr<const net::network> model, int hosts);

/// Network from measured paths between hosts.
///
/// The rate of a host's link is the upper quartile of the isolated rates of the host's paths. A single slow partner
/// therefore does not affect the rate. A cluster of hosts has an uplink if the paths of the cluster to other hosts were
/// slower under load.
/// @throws data_error without measurements between hosts
host_network network_of(const machine::description& machine);

}  // namespace osteon::placement
