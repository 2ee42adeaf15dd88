#pragma once
/// @file
/// Target places of ranks, and files of a placement for launchers.
#include <optional>
#include <osteon/machine/links/links.hpp>
#include <osteon/placement/hosts/host_network.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::placement {

/// Available places of a machine in the order of use without a placement: rank r is at place r.
struct target {
  machine::description machine;        ///< all hosts of which have a place
  std::vector<machine::place> places;  ///< each core once
  host_network network;                ///< between the machine's hosts

  int hosts() const { return machine.hosts.size(); }
  /// Places on each host: indices into `places`, by core.
  std::vector<std::vector<int>> by_host() const;
};

/// Every usable core, host by host in the order of its tree, and the measured network.
/// @throws data_error without usable cores or measurements
target every_core(machine::description machine);

/// The same on a modelled network. @throws usage_error, data_error as network_of and every_core
target every_core(machine::description machine, std::shared_ptr<const net::network> model);

/// Seconds of a message between two cores, one at a time: latency and seconds per byte.
struct path_cost {
  double latency_s = 0, s_per_byte = 0;
  double time(double bytes) const { return latency_s + s_per_byte * bytes; }
};
/// Links of each path inside a host; typical values for unmeasured paths.
std::array<path_cost, machine::paths_inside> costs_inside(const machine::description& machine);

enum class launcher : std::uint8_t {
  ompi4_rankfile,  ///< mpirun --rankfile
  ompi5,           ///< mpirun --map-by rankfile:file=
  seq,             ///< Open MPI: a host for each rank, no cores
  hydra,           ///< MPICH and its kin: mpiexec -f, with binding
  slurm,           ///< SLURM_HOSTFILE: a host for each rank, no cores
  wrap,            ///< a script that binds a rank to its core and reports a wrong host
};
/// @throws usage_error unless the name is ompi4-rankfile, ompi5, seq, hydra, slurm or wrap
launcher parse_launcher(std::string_view name);

struct launch_file {
  std::string text;
  std::string command;  ///< command for its use, with the name of the file
  bool executable = false;
};

/// @param place of each rank: index into where.places
/// @param file name of the file for the text
/// @throws usage_error if a host's name cannot be written to such a file
launch_file launch_file_of(launcher kind, const target& where, std::span<const int> place, const std::string& file);

}  // namespace osteon::placement
