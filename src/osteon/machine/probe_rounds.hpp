#pragma once
/// @file
/// The schedule of a probe: rounds of disjoint pairs, which are measured at the same time.
#include <cstdint>
#include <functional>
#include <optional>
#include <osteon/machine/topology.hpp>
#include <utility>
#include <vector>

namespace osteon::machine {

using rank_pairs = std::vector<std::pair<int, int>>;

/// Every pair of hosts once: XOR at powers of two, the circle otherwise. @cite [Ito], table 1
std::vector<rank_pairs> all_rounds(int hosts);

/// Seldom more than 2 log2(n) others for each host, at all distances in the order of names: what is next to each other in
/// it is mostly next to each other in the network.
std::vector<rank_pairs> sampled_rounds(int hosts);

/// Deal rounds of hosts out to cores: core 0 of each host does the first, core 1 the second, and so on at once.
/// @param at_once cores of each host @param ranks_of_host ranks on each host, at least so many
std::vector<rank_pairs> dealt_to_cores(const std::vector<rank_pairs>& of_hosts, int at_once,
                                       const std::vector<std::vector<int>>& ranks_of_host);

/// Some pairs of each path inside a host, from all over it, one after the other.
/// @param here ranks of the host @param path_of the path between two of them, where it is known
std::vector<rank_pairs> rounds_of_paths(const std::vector<int>& here,
                                        const std::function<std::optional<path>(int, int)>& path_of);

/// A few rounds, each of which pairs all ranks of a host. @param here ranks of the host
std::vector<rank_pairs> rounds_of_all(const std::vector<int>& here);

}  // namespace osteon::machine
