#pragma once
/// @file
/// Detection of slow hosts and links, and of clusters of hosts.
#include <osteon/machine/links/links.hpp>
#include <string>
#include <vector>

namespace osteon::machine {

/// A measurement between two hosts.
struct host_sample {
  int a = 0, b = 0;
  link found;
  bool alone = false;  ///< confirmed by an individual measurement
};

struct slow_host {
  int host = 0;
  double bandwidth = 0;  ///< median of the links of the host, in bytes/s
  double usual = 0;      ///< median of all hosts, in bytes/s
  int links = 0;         ///< number of measured links of the host
};

struct slow_link {
  int a = 0, b = 0;
  double bandwidth = 0, usual = 0;
};

struct verdict {
  std::vector<slow_host> hosts;
  std::vector<slow_link> links;  ///< slow links between hosts that are not slow
  std::vector<int> cluster_of;   ///< cluster of each host, numbered from 0 in the order of the first hosts
  int clusters = 0;
  bool fine() const { return hosts.empty() && links.empty(); }
};

/// Find slow hosts and links, and clusters of hosts.
///
/// The capability of a host is the bandwidth reached by the best fiftieth of its links. A host is slow if its capability is
/// below `slow_below` times the median capability over hosts. Individually measured links take precedence over other links.
/// With fewer than three hosts, no host is slow. Hosts form a cluster if the bandwidths of the links between them are near
/// their capabilities. For example, the hosts of a switch form a cluster if links between switches are slower. A link is
/// slow if its bandwidth is below `slow_below` times the median bandwidth between its two clusters.
/// @cost O(samples log samples)
verdict judge(int hosts, const std::vector<host_sample>& samples, double slow_below);

/// Links of all pairs of hosts if every pair was measured; otherwise links of pairs of clusters. The link of two clusters is
/// the median of the measured links between their hosts. For an unmeasured pair of clusters, the link is the slower one of
/// the median links of each cluster to other clusters.
host_links links_from(int hosts, const std::vector<host_sample>& samples, const verdict& judged);

/// Text lines, for example "SLOW host n2: 11.7 MB/s, median 38 MB/s (all 3 links)".
std::vector<std::string> lines_of(const verdict& judged, const host_list& hosts);

/// Format a rate, for example "12.3 MB/s" or "1.25 GB/s".
std::string rate_text(double bytes_per_second);

}  // namespace osteon::machine
