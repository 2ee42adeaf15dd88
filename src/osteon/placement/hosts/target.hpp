#pragma once
/// @file
/// Places for ranks, and files for launchers that realise a placement.
#include <optional>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/hosts/host_network.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::placement {

/// Available places of a machine in default order. Without a placement, rank r has place r.
struct target {
  machine::description machine;        ///< hosts with at least one place
  std::vector<machine::place> places;  ///< places of the ranks
  host_network network;                ///< network between the hosts of the machine

  int hosts() const { return machine.hosts.size(); }
  /// Places on each host, as indices into `places` in the order of cores.
  std::vector<std::vector<int>> by_host() const;
};

/// All usable cores of each host in the order of the host's tree, and the measured network.
/// @throws data_error without usable cores or measurements
target every_core(machine::description machine);

/// All usable cores of each host, and a modelled network. @throws usage_error, data_error in the cases of network_of and
/// every_core
target every_core(machine::description machine, std::shared_ptr<const net::network> model);

/// Time of a single message between two cores. The time consists of a latency and of seconds per byte.
struct path_cost {
  double latency_s = 0, s_per_byte = 0;
  double time(double bytes) const { return latency_s + s_per_byte * bytes; }
};
/// Cost of each path inside a host. Paths without measurements have typical values.
std::array<path_cost, machine::paths_inside> costs_inside(const machine::description& machine);

enum class launcher : std::uint8_t {
  ompi4_rankfile,  ///< file for mpirun --rankfile
  ompi5,           ///< file for mpirun --map-by rankfile:file=
  seq,             ///< sequential mapping of Open MPI: host of each rank, without cores
  hydra,           ///< MPICH and derivatives: file for mpiexec -f, with binding
  slurm,           ///< file for SLURM_HOSTFILE: host of each rank, without cores
  wrap,            ///< script that binds a rank to its core, and reports a rank on a wrong host
};
/// Parse the name of a launcher. @throws usage_error unless the name is ompi4-rankfile, ompi5, seq, hydra, slurm or wrap
launcher parse_launcher(std::string_view name);

struct launch_file {
  std::string text;
  std::string command;  ///< command that uses the file
  bool executable = false;
};

/// Create the launcher file of a placement.
/// @param place place of each rank: index into available.places
/// @param file name of the file, for the command
/// @param mpi_type --mpi of srun for the MPI of the program
/// @throws usage_error if a host name is not valid in a launcher file
launch_file launch_file_of(launcher kind, const target& available, std::span<const int> place, const std::string& file,
                           const std::string& mpi_type = "pmix");

}  // namespace osteon::placement
