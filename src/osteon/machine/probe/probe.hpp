#pragma once
/// @file
/// Measurement of the links of the hosts of a job.
#include <mpi.h>

#include <optional>
#include <osteon/machine/probe/job_hosts.hpp>
#include <osteon/machine/probe/link_probe.hpp>

namespace osteon::machine {

/// Dependence of the bandwidth between two hosts on the communicating cores.
struct core_choice {
  int host_a = -1, host_b = -1;
  std::vector<int> ranks_a, ranks_b;  ///< measured ranks of the two hosts
  std::vector<link> ways;             ///< links of pairs [a][b] of ranks; each link is the mean of two measurements
  double usual = 0;                   ///< median bandwidth over pairs [bytes/s]
  double between_ways = 0;            ///< standard deviation of the bandwidths over pairs, divided by `usual`
  double same_way = 0;                ///< standard deviation of repeated measurements of a pair, divided by `usual`
  bool complete = true;               ///< false: the time budget was exhausted
  /// True if the variation of the bandwidths over pairs is at least 5 %, and more than twice the variation of repeated
  /// measurements.
  bool matters() const { return between_ways > std::max(2 * same_way, 0.05); }
};

/// Measure all pairs of ranks of the first two hosts twice, one pair at a time. On a host with more than 16 ranks, 16 evenly
/// spaced ranks are used.
/// @throws usage_error with fewer than two hosts
core_choice probe_core_choice(const rank_layout& ranks, const measure_function& measure, double budget_s,
                              const std::function<double()>& seconds_now);

/// Measure the machine of the ranks of `comm`. During the measurement, each rank is bound to its own core, because path
/// classes inside a host can be distinguished only between bound ranks. Ranks are not bound if several hosts share one
/// kernel.
/// @param bind false: do not change the binding of ranks
/// @param which_core if not null, the function also measures the influence of the communicating cores, with an additional
/// time budget of the same size; the result is set on rank 0
/// @return result on rank 0, an empty result on other ranks (see `shared`)
/// @throws machine_error if a host has more ranks than usable cores, or stops responding
/// @throws usage_error as probe_links and probe_core_choice
/// @collective on comm
/// @cost at most about options.budget_s; at most about twice this time with `which_core`
probe_result probe(MPI_Comm comm, const job_hosts& hosts, const probe_options& options, bool bind = true,
                   std::optional<core_choice>* which_core = nullptr);

/// Broadcast the description of rank 0. @collective on comm
description shared(MPI_Comm comm, const description& machine);

}  // namespace osteon::machine
