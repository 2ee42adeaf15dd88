#pragma once
/// @file
/// The hosts that the ranks of a communicator run on.
#include <mpi.h>

#include <osteon/machine/topology/topology.hpp>
#include <vector>

namespace osteon::machine {

/// Hosts in the natural order of their names (n2 before n10), so that neighbours in it are mostly near in the network.
struct job_hosts {
  host_list hosts;                              ///< with the cores that the cgroup of the lowest rank on each allows
  std::vector<int> host_of_rank;                ///< by rank
  std::vector<std::vector<int>> ranks_of_host;  ///< ascending, by host
  /// Several hosts of other names run on one kernel (containers, network namespaces), and share its cores.
  bool shares_kernel = false;

  /// Place of a rank among those of its host, from 0.
  int local_rank(int rank) const;
};

/// Find out which hosts there are; alike on all ranks.
/// @throws machine_error if hwloc fails on one of them
/// @collective on comm
job_hosts hosts_of(MPI_Comm comm);

}  // namespace osteon::machine
