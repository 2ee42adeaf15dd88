#pragma once
/// @file
/// Latency and bandwidth of the paths between cores and hosts, and comparison with earlier measurements.
#include <cstdint>
#include <optional>
#include <osteon/machine/topology/topology.hpp>
#include <string>
#include <vector>

namespace osteon::machine {

/// Link in one direction. The time of a message of s bytes is latency_s + s / bandwidth.
struct link {
  double latency_s = 0;
  double bandwidth = 0;  ///< bytes per second; 0: not measured
  bool known() const { return bandwidth > 0; }
  /// Time of a message in s.
  double time(double bytes) const { return latency_s + bytes / bandwidth; }
  friend bool operator==(const link&, const link&) = default;
};

/// Links between all pairs of hosts, equal in both directions. Up to about a thousand hosts, a link is stored for each pair
/// of hosts (dense). For more hosts, a link is stored for each pair of clusters. The hosts of a cluster have equal links to
/// each other, and equal links to every other cluster. Examples of clusters are the hosts of a switch, or a single slow
/// host.
class host_links {
 public:
  host_links() = default;
  /// Index of the pair (a, b), a != b, in the list of dense links: (0,1), (0,2), (1,2), (0,3), ...
  static std::int64_t pair_index(int a, int b) {
    const std::int64_t low = a < b ? a : b, high = a < b ? b : a;
    return high * (high - 1) / 2 + low;
  }
  /// @param pairs link of each pair at `pair_index`, n (n - 1) / 2 links
  /// @throws data_error for another number of links
  static host_links dense(int hosts, std::vector<link> pairs);
  /// @param cluster_of cluster of each host, from 0
  /// @param between k x k links between clusters; a diagonal entry is the link between hosts of one cluster (unused for a
  /// cluster of one host)
  /// @throws data_error if sizes or numbers do not match, or the links are not symmetric
  static host_links clustered(std::vector<int> cluster_of, std::vector<link> between);
  /// Equal links between all hosts.
  static host_links uniform(int hosts, link each);

  int hosts() const { return hosts_; }
  bool is_dense() const { return cluster_of_.empty(); }
  /// Link between two different hosts. @cost O(1)
  link between(int a, int b) const {
    if (is_dense()) return links_[static_cast<std::size_t>(pair_index(a, b))];
    const auto from = static_cast<std::size_t>(cluster_of_[static_cast<std::size_t>(a)]);
    const auto to = static_cast<std::size_t>(cluster_of_[static_cast<std::size_t>(b)]);
    return links_[from * static_cast<std::size_t>(clusters_) + to];
  }
  /// Cluster of each host; empty for dense links.
  const std::vector<int>& cluster_of() const { return cluster_of_; }
  int clusters() const { return clusters_; }
  /// Links of pairs of hosts, or k x k links of clusters.
  const std::vector<link>& values() const { return links_; }
  /// Links between a subset of hosts: host i of the result is host `hosts[i]` of this object.
  host_links selected(const std::vector<int>& hosts) const;
  friend bool operator==(const host_links&, const host_links&) = default;

 private:
  int hosts_ = 0, clusters_ = 0;
  std::vector<int> cluster_of_;
  std::vector<link> links_;
};

/// Paths of a machine under one load: one message at a time (isolated), or messages from all cores (loaded).
struct path_speeds {
  std::array<std::optional<link>, paths_inside> inside;  ///< by path; empty if not measured
  host_links between;                                    ///< links between hosts; without hosts if not measured

  /// Link of a path inside a host. For an unmeasured path, the result is the link of the next nearer measured path. If no
  /// nearer path was measured, the result is the link of the next farther measured path.
  std::optional<link> within_host(path p) const;
  friend bool operator==(const path_speeds&, const path_speeds&) = default;
};

/// Machine with hosts and measured paths.
struct description {
  host_list hosts;
  std::optional<path_speeds> isolated, loaded;
  std::string measured_at;  ///< time in ISO 8601 (UTC); empty: assumed, not measured
  friend bool operator==(const description&, const description&) = default;
};

/// A core of a host.
struct place {
  int host = 0;
  int core = 0;
  friend bool operator==(const place&, const place&) = default;
};

/// The path between two cores.
path path_between(const host_list& hosts, place a, place b);
/// The link between two cores. @throws data_error if neither the path class nor the pair of hosts was measured
link link_between(const description& machine, const path_speeds& seen, place a, place b);

/// Description of unmeasured hosts, with the links of a typical cluster. This description is sufficient to rank placements.
description assumed(host_list hosts);

/// Differences between two measurements.
struct change {
  std::string what;            ///< compared object: "host n2", "link n0 - n1", "inter-socket"
  double before = 0, now = 0;  ///< bytes per second
};

struct comparison {
  std::vector<std::string> gone, fresh;  ///< hosts of the earlier measurement only; hosts of the later measurement only
  std::vector<change>
      slower;  ///< bandwidths below `slow_below` times the earlier bandwidth, in the order of increasing ratios
};

/// Compare the common hosts of two measurements. The comparison includes path classes inside hosts, the median of the links
/// of each host, and single links between hosts without a slower median. Isolated measurements are compared if both
/// descriptions contain isolated measurements. Otherwise measurements under load are compared.
comparison compare(const description& before, const description& now, double slow_below);

}  // namespace osteon::machine
