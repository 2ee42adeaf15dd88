#pragma once
/// @file
/// Costs of the paths between hosts: by a model of the network, or as measured.
#include <memory>
#include <osteon/machine/links/links.hpp>
#include <osteon/net/networks/network.hpp>
#include <osteon/placement/hosts/fabric.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// The links between some hosts, and how far these are from each other.
struct host_network {
  fabric links;
  /// Cost of a byte between two hosts, shape (hosts, hosts); empty: the same for all.
  std::vector<float> distance;
};

/// Hosts as PUs of a modelled network, in their order. Distances are links of the way.
/// @throws usage_error if there are more hosts than PUs, or so many that their distances do not fit into memory
host_network network_of(std::shared_ptr<const net::network> model, int hosts);

/// Measured paths between hosts, with one message at a time.
///
/// A host's own link is as fast as the upper quartile of its paths, so that one slow partner does not make it slow.
/// Clusters of hosts whose paths to others were found slower when all hosts sent at once have an uplink of their own.
/// @throws data_error if nothing was measured between them
host_network network_of(const machine::description& machine);

}  // namespace osteon::placement
