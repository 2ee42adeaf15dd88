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
  bool alone = false;  ///< repeated individually
};

struct slow_host {
  int host = 0;
  double bandwidth = 0;  ///< median of its links; bytes per second
  double usual = 0;      ///< median of the other hosts
  int links = 0;         ///< that were measured
};

struct slow_link {
  int a = 0, b = 0;
  double bandwidth = 0, usual = 0;
};

struct verdict {
  std::vector<slow_host> hosts;
  std::vector<slow_link> links;  ///< between hosts that are not slow themselves
  std::vector<int> cluster_of;   ///< by host, from 0 in the order of first hosts
  int clusters = 0;
  bool fine() const { return hosts.empty() && links.empty(); }
};

/// Find slow hosts and links, and clusters of hosts.
///
/// The ability of a host is the bandwidth of the best fiftieth of its links. A host is slow if this is below `slow_below`
/// times the median of hosts; individually measured links take precedence. With fewer than three hosts, no host is slow.
/// Hosts form a cluster if links near their own abilities join them: hosts of a switch, when the links between switches are
/// slower. A link is slow if it is below `slow_below` times the median of its two clusters.
/// @cost O(samples log samples)
verdict judge(int hosts, const std::vector<host_sample>& samples, double slow_below);

/// Links of all pairs if each was measured, otherwise of pairs of clusters: medians, or for unmeasured pairs of clusters the
/// slower of their links to others.
host_links links_from(int hosts, const std::vector<host_sample>& samples, const verdict& judged);

/// Text lines such as "SLOW host n2: 11.7 MB/s, where 38 MB/s is usual (all 3 links)".
std::vector<std::string> lines_of(const verdict& judged, const host_list& hosts);

/// "12.3 MB/s", "1.25 GB/s".
std::string rate_text(double bytes_per_second);

}  // namespace osteon::machine
