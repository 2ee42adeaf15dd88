#pragma once
/// @file
/// A placement as a job of a batch system: on hosts whose names are known only when the job begins.
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement {

enum class batch_system : std::uint8_t { slurm, pbs };
/// @throws usage_error if there is no batch system of this name: slurm, pbs
batch_system parse_batch_system(std::string_view name);

struct batch_options {
  batch_system system = batch_system::slurm;
  int threads = 1;           ///< cores of a rank; 1: flat, more: hybrid
  bool named_hosts = false;  ///< the hosts are those that were measured, and are asked for by name
  std::string walltime = "01:00:00";
  std::string program = "PROGRAM";  ///< and its arguments, as the shell of the script reads them
};

/// The places for ranks of `threads` cores each: of each host the first cores of groups of that many neighbours in its tree.
/// Groups do not go from one NUMA node to another while the node has enough cores.
/// @throws usage_error if no host has so many cores
target places_of_teams(target cores, int threads);

/// A script for `sbatch` or `qsub`. It asks for the hosts, gives each rank its host in the order of the allocation, and
/// binds it to its cores through a wrapper, by `srun`, Open MPI's `mpirun` or Hydra's `mpiexec`.
/// @param place of each rank: index into where.places, the places of places_of_teams
/// @throws usage_error if a host's name cannot be written to such a file, or the walltime is none
std::string batch_script(const target& where, std::span<const int> place, const batch_options& options);

}  // namespace osteon::placement
