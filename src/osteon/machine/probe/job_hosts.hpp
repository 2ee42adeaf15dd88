#pragma once
/// @file
/// Hosts of the ranks of a communicator.
#include <mpi.h>

#include <osteon/machine/topology/topology.hpp>
#include <vector>

namespace osteon::machine {

/// Hosts of a job, in the natural order of their names (n2 before n10). Consecutive hosts are mostly close in the network.
struct job_hosts {
  host_list hosts;                              ///< with the cores allowed by the cgroup of the lowest rank on each host
  std::vector<int> host_of_rank;                ///< host of each rank
  std::vector<std::vector<int>> ranks_of_host;  ///< ranks of each host, ascending
  /// True if several host names belong to one kernel and share cores (containers, network namespaces).
  bool shares_kernel = false;

  /// Index of a rank on its host, from 0.
  int local_rank(int rank) const;
};

/// Determine the hosts of a communicator. The result is equal on all ranks.
/// @throws machine_error if hwloc fails on a host
/// @collective on comm
job_hosts hosts_of(MPI_Comm comm);

}  // namespace osteon::machine
