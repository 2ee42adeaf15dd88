#pragma once
/// @file
/// A placement as the files that launchers take.
#include <osteon/placement/target.hpp>
#include <span>
#include <string>
#include <string_view>

namespace osteon::placement {

enum class launcher : std::uint8_t {
  ompi4_rankfile,  ///< mpirun --rankfile
  ompi5,           ///< mpirun --map-by rankfile:file=
  seq,             ///< Open MPI: a host for each rank, no cores
  hydra,           ///< MPICH and its kin: mpiexec -f, with binding
  slurm,           ///< SLURM_HOSTFILE: a host for each rank, no cores
  wrap,            ///< a script that binds a rank to its core and says so if it is on the wrong host
};
/// @throws usage_error if there is no launcher of this name: ompi4-rankfile, ompi5, seq, hydra, slurm, wrap
launcher parse_launcher(std::string_view name);

struct launch_file {
  std::string text;
  std::string command;  ///< how to use it, with the file's name in it
  bool executable = false;
};

/// @param place of each rank: index into where.places
/// @param file where the text will be
/// @throws usage_error if a host's name cannot be written to such a file
launch_file launch_file_of(launcher kind, const target& where, std::span<const int> place, const std::string& file);

}  // namespace osteon::placement
