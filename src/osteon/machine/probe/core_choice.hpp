#pragma once
/// @file
/// Does it matter which core measures? All n_a n_b ways in which the cores of one host reach those of another, where
/// the probe takes one way only, as [Ito] does (section 3.2-2: n_c^2 ways, of which "one combination is used").
#include <osteon/machine/probe/link_probe.hpp>

namespace osteon::machine {

struct core_choice {
  int host_a = -1, host_b = -1;
  std::vector<int> ranks_a, ranks_b;  ///< of the two hosts, that were measured
  std::vector<link> ways;             ///< [a][b], the mean of two measurements
  double usual = 0;                   ///< bytes per second, median of the ways
  double between_ways = 0;            ///< standard deviation of the bandwidths of the ways, over `usual`
  double same_way = 0;                ///< of one way measured twice, the same: what a difference must exceed to be one
  bool complete = true;               ///< false: the budget was over
  /// Whether ways differ by more than measuring does: by more than twice as much, and by 5 % at least.
  bool matters() const { return between_ways > std::max(2 * same_way, 0.05); }
};

/// Measure all ways between the first two hosts, one after the other, twice. Of a host with more than 16 ranks, 16 that are
/// spread evenly.
/// @throws usage_error with less than two hosts
core_choice probe_core_choice(const rank_layout& ranks, const measure_function& measure, double budget_s,
                              const std::function<double()>& seconds_now);

}  // namespace osteon::machine
