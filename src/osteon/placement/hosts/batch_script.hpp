#pragma once
/// @file
/// Placement as a batch job, on hosts whose names are known only at the start of the job.
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement {

enum class batch_system : std::uint8_t { slurm, pbs };
/// @throws usage_error unless the name is slurm or pbs
batch_system parse_batch_system(std::string_view name);

struct batch_options {
  batch_system system = batch_system::slurm;
  int threads = 1;           ///< cores per rank; 1: flat, more: hybrid
  bool named_hosts = false;  ///< request the measured hosts by name
  std::string walltime = "01:00:00";
  std::string program = "PROGRAM";  ///< program and its arguments, in shell syntax
};

/// Places for ranks of `threads` cores each: the first core of each group of `threads` neighbouring cores in the tree of a
/// host. A group does not cross NUMA nodes while its node has enough cores.
/// @throws usage_error if no host has `threads` cores
target places_of_teams(target cores, int threads);

/// Script for `sbatch` or `qsub`. It requests the hosts, assigns a host to each rank in the order of the allocation, and
/// binds the rank to its cores through a wrapper, by `srun`, Open MPI's `mpirun` or Hydra's `mpiexec`.
/// @param place of each rank: index into where.places, the places of places_of_teams
/// @throws usage_error if a host name cannot be written to such a file, or the walltime is invalid
std::string batch_script(const target& where, std::span<const int> place, const batch_options& options);

}  // namespace osteon::placement
