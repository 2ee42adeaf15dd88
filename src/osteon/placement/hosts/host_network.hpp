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
  /// Cost per byte between two hosts, shape (hosts, hosts); empty: equal for all pairs.
  std::vector<float> distance;
};

/// Hosts as PUs of a modelled network, in their order. Distances are numbers of links on the path.
/// @throws usage_error if there are more hosts than PUs, or if their distances do not fit into memory
host_network network_of(std::shared_ptr<const net::network> model, int hosts);

/// Paths between hosts measured with one message at a time.
///
/// The link of a host has the speed of the upper quartile of its paths, so that one slow partner does not affect it.
/// Clusters of hosts have an own uplink if their paths to other hosts were slower while all hosts sent at once.
/// @throws data_error without measurements between hosts
host_network network_of(const machine::description& machine);

}  // namespace osteon::placement
