#pragma once
/// @file
/// Batch scripts of placements. The names of the hosts are unknown until the start of the job.
#include <osteon/base/allocation.hpp>
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement {

/// Parse a batch system. @throws usage_error unless the name is slurm or pbs
batch_system parse_batch_system(std::string_view name);

struct batch_options {
  batch_system system = batch_system::slurm;
  int threads = 1;           ///< number of cores per rank; 1: flat; more than 1: hybrid
  bool named_hosts = false;  ///< true if the script requests the measured hosts by name
  std::string walltime = "01:00:00";
  std::string mpi_type = "pmix";    ///< --mpi of srun for the MPI of the program
  std::string program = "PROGRAM";  ///< program and its arguments, in shell syntax
};

/// Places for ranks with `threads` cores each. A place is the first core of a group of `threads` cores. These cores are
/// neighbours in the tree of the host. If a NUMA node has enough cores, groups do not cross the boundaries of the node.
/// @throws usage_error if no host has `threads` cores
target places_of_teams(target cores, int threads);

/// Script for `sbatch` or `qsub`. The script requests hosts, and assigns a host to each rank in the order of the allocation.
/// The script then starts the ranks with `srun`, `mpirun` of Open MPI or `mpiexec` of Hydra. A wrapper binds each rank to
/// its cores.
/// @param place place of each rank, as an index into available.places; places_of_teams returns `available`
/// @throws usage_error if a host name or the walltime is invalid in a script
std::string batch_script(const target& available, std::span<const int> place, const batch_options& options);

}  // namespace osteon::placement
