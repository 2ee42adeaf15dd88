#pragma once
/// @file
/// Measure the links of the hosts that a job runs on.
#include <mpi.h>

#include <optional>
#include <osteon/machine/probe/job_hosts.hpp>
#include <osteon/machine/probe/link_probe.hpp>

namespace osteon::machine {

/// Whether the bandwidth of two hosts depends on the cores that exchange.
struct core_choice {
  int host_a = -1, host_b = -1;
  std::vector<int> ranks_a, ranks_b;  ///< of the two hosts, that were measured
  std::vector<link> ways;             ///< [a][b], the mean of two measurements
  double usual = 0;                   ///< bytes per second, median of the ways
  double between_ways = 0;            ///< standard deviation of the bandwidths of the ways, over `usual`
  double same_way = 0;                ///< difference of two measurements of one variant: the threshold of significance
  bool complete = true;               ///< false: the budget was over
  /// Whether ways differ by more than measuring does: by more than twice as much, and by 5 % at least.
  bool matters() const { return between_ways > std::max(2 * same_way, 0.05); }
};

/// Measure all variants between the first two hosts, one after the other, twice. On a host with more than 16 ranks, use 16
/// evenly spaced ranks.
/// @throws usage_error with fewer than two hosts
core_choice probe_core_choice(const rank_layout& ranks, const measure_function& measure, double budget_s,
                              const std::function<double()>& seconds_now);

/// Measure the machine of the ranks of `comm`. During the measurement, each rank is bound to its own cores, so that link
/// classes inside a host can be distinguished; ranks are not bound if several hosts share one kernel.
/// @param bind false: keep the binding of ranks
/// @param which_core also measure the influence of the measuring core, with an additional budget of the same size; set on
/// rank 0
/// @return the result on rank 0, an empty one on other ranks (see `shared`)
/// @throws machine_error if a host has more ranks than usable cores, or stops replying
/// @throws usage_error as probe_links and probe_core_choice do
/// @collective on comm
/// @cost about options.budget_s at most, and as much for `which_core`
probe_result probe(MPI_Comm comm, const job_hosts& hosts, const probe_options& options, bool bind = true,
                   std::optional<core_choice>* which_core = nullptr);

/// The description of rank 0 on all ranks. @collective on comm
description shared(MPI_Comm comm, const description& machine);

}  // namespace osteon::machine
