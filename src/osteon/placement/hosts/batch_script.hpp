#pragma once
/// @file
/// Batch scripts of placements. The names of the hosts are unknown until the start of the job.
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement {

enum class batch_system : std::uint8_t { slurm, pbs };
/// Parse a batch system. @throws usage_error unless the name is slurm or pbs
batch_system parse_batch_system(std::string_view name);

struct batch_options {
  batch_system system = batch_system::slurm;
  int threads = 1;           ///< cores per rank; 1: flat; more than 1: hybrid
  bool named_hosts = false;  ///< request the measured hosts by name
  std::string walltime = "01:00:00";
  std::string program = "PROGRAM";  ///< program and its arguments, in shell syntax
};

/// Places for ranks of `threads` cores each. A place is the first core of a group of `threads` neighbouring cores in the
/// tree of a host. If a NUMA node has enough cores, groups do not cross the boundary of the node.
/// @throws usage_error if no host has `threads` cores
target places_of_teams(target cores, int threads);

/// Script for `sbatch` or `qsub`. The script requests the hosts, and assigns a host to each rank in the order of the
/// allocation. Then the script starts the ranks by `srun`, `mpirun` of Open MPI or `mpiexec` of Hydra. A wrapper binds each
/// rank to its cores.
/// @param place place of each rank: index into available.places, the result of places_of_teams
/// @throws usage_error if a host name or the walltime is not valid in a script
std::string batch_script(const target& available, std::span<const int> place, const batch_options& options);

}  // namespace osteon::placement
