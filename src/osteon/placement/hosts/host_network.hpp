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
  /// Cost per byte between two hosts, with shape (hosts, hosts). An empty table means an equal cost for all pairs.
  std::vector<float> distance;
};

/// Modelled network, in which host h is PU h. Distances are numbers of links on the path.
/// @throws usage_error if there are more hosts than PUs, or more than 16384 hosts
host_network network_of(std::shared_ptr<const net::network> model, int hosts);

/// Network from the measured paths between hosts.
///
/// The rate of the link of a host is the upper quartile of the isolated rates of its paths. Therefore one slow partner does
/// not affect the rate. A cluster of hosts has an uplink if its paths to other hosts were slower under load.
/// @throws data_error without measurements between hosts
host_network network_of(const machine::description& machine);

}  // namespace osteon::placement
