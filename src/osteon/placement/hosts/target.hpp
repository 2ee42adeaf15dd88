#pragma once
/// @file
/// Places for ranks, and launcher files of a placement.
#include <optional>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/hosts/host_network.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::placement {

/// Available places of a machine, in default order. Without a placement, rank r is at place r.
struct target {
  machine::description machine;        ///< hosts with at least one place
  std::vector<machine::place> places;  ///< places of the ranks
  host_network network;                ///< network between the hosts of the machine

  int hosts() const { return machine.hosts.size(); }
  /// Places on each host: indices into `places`, by core.
  std::vector<std::vector<int>> by_host() const;
};

/// Every usable core of each host, in the order of its tree, with the measured network.
/// @throws data_error without usable cores or measurements
target every_core(machine::description machine);

/// Every usable core of each host, with a modelled network. @throws usage_error, data_error as network_of and every_core
target every_core(machine::description machine, std::shared_ptr<const net::network> model);

/// Time of a single message between two cores: latency and seconds per byte.
struct path_cost {
  double latency_s = 0, s_per_byte = 0;
  double time(double bytes) const { return latency_s + s_per_byte * bytes; }
};
/// Cost of each path inside a host. Unmeasured paths have typical values.
std::array<path_cost, machine::paths_inside> costs_inside(const machine::description& machine);

enum class launcher : std::uint8_t {
  ompi4_rankfile,  ///< mpirun --rankfile
  ompi5,           ///< mpirun --map-by rankfile:file=
  seq,             ///< Open MPI sequential mapping: host of each rank, without cores
  hydra,           ///< MPICH and derivatives: mpiexec -f, with binding
  slurm,           ///< SLURM_HOSTFILE: host of each rank, without cores
  wrap,            ///< script that binds a rank to its core and reports a wrong host
};
/// Parse a launcher. @throws usage_error unless the name is ompi4-rankfile, ompi5, seq, hydra, slurm or wrap
launcher parse_launcher(std::string_view name);

struct launch_file {
  std::string text;
  std::string command;  ///< command that uses the file
  bool executable = false;
};

/// Create the launcher file of a placement.
/// @param place place of each rank: index into available.places
/// @param file name of the file, for the command
/// @throws usage_error if a host name is not valid in a launcher file
launch_file launch_file_of(launcher kind, const target& available, std::span<const int> place, const std::string& file);

}  // namespace osteon::placement
