#pragma once
/// @file
/// Specification of a job over several clusters (bridge/docs/wire.md), and the commands that start it.
#include <bridge/error.hpp>
#include <map>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct join_cluster {
  std::string name;
  int ranks = 0;
  /// Words of the launcher; {ranks} in these words is replaced; without {ranks}, `-n RANKS` is added.
  std::vector<std::string> launcher{"mpirun"};
  std::vector<std::string> options;  ///< further words for the launcher
  std::vector<std::string> prefix;   ///< command that starts a shell on the cluster, such as ssh host
  std::string adapter;    ///< value of OSTEON_MPI; for the standard ABI abi:/LIBRARY; empty: detected on the cluster
  std::string library;    ///< folder of libmpi_abi.so.1 of the bridge on the cluster
  std::string directory;  ///< working directory of the program
  std::string server;  ///< address of the start-up server for this cluster, if different from the address for other clusters
  std::string address;  ///< settings::address
  std::string relay;    ///< host:port of the relay of this cluster; empty: no relay
  std::string osteon;   ///< path of osteon on the cluster, for the relay
  std::map<std::string, std::string> environment, wire;
};

struct join_plan {
  std::string server;                         ///< host name of this machine for the clusters, with :port for a fixed port
  std::string key_file;                       ///< empty: a key is created for the job
  std::string hub;                            ///< host:port of the hub that this program runs; empty: no hub
  std::map<std::string, std::string> wire;    ///< OSTEON_WIRE_ variables of all clusters, by lower-case name
  std::map<std::string, std::string> bridge;  ///< OSTEON_BRIDGE_ variables of all clusters, by lower-case name
  std::vector<join_cluster> clusters;
};

/// @param problems receives all faults
join_plan read_join_plan(const std::string& path, std::vector<problem>& problems);

/// The script for the standard input of the shell of a cluster. The script sets variables; then the launcher with the
/// program replaces the shell. The script contains the key, because other users could read a key in the command line.
/// @param variables OSTEON_WIRE_ variables
std::string start_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& program);

/// Script for one process without the launcher, on the machine selected by the prefix.
std::string relay_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& command);

/// Words of the launcher, for messages.
std::string launcher_text(const join_cluster& c);

}  // namespace osteon::bridge::launch
