#pragma once
/// @file
/// Findings from measured links: figures of paths, groups of hosts, slow hosts and links.
#include <osteon/machine/probe/link_probe.hpp>

namespace osteon::machine {

/// Measurements between hosts.
struct samples_between {
  std::vector<host_sample> isolated, loaded;
  std::vector<host_sample>& operator[](bool is_loaded) { return is_loaded ? loaded : isolated; }
  const std::vector<host_sample>& operator[](bool is_loaded) const { return is_loaded ? loaded : isolated; }
};

/// A pair that several cores measured counts once, by their median.
void merge_repeated(std::vector<host_sample>& samples);

/// Add to a result that has hosts and pairs: figures, links of the machine, verdicts, remarks about groups.
/// @param host_of_rank by rank @param judge_loaded judge hosts by the links under load
void conclude(probe_result& result, const samples_between& between, const std::vector<int>& host_of_rank, bool judge_loaded,
              const probe_options& options);

}  // namespace osteon::machine
