#pragma once
/// @file
/// Specification of a job over several clusters (bridge/docs/wire.md), and the commands that start the job.
#include <bridge/error.hpp>
#include <map>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct join_cluster {
  std::string name;
  int ranks = 0;
  /// Words of the launcher. In these words, {ranks} is replaced. Without {ranks}, `-n RANKS` is appended.
  std::vector<std::string> launcher{"mpirun"};
  std::vector<std::string> options;  ///< further words of the launcher
  std::vector<std::string> prefix;   ///< command that starts a shell on the cluster, for example ssh host
  /// value of OSTEON_MPI; for the standard ABI abi:/LIBRARY; empty: the value is detected on the cluster
  std::string adapter;
  std::string library;    ///< folder of the bridge's libmpi_abi.so.1 on the cluster
  std::string directory;  ///< working directory of the program
  /// address of the start-up server for this cluster, if this address differs from the address for other clusters
  std::string server;
  std::string address;  ///< value of settings::address
  std::string relay;    ///< address host:port of the relay of this cluster; empty: no relay
  std::string osteon;   ///< path of osteon on the cluster; the relay needs this path
  std::map<std::string, std::string> environment, wire;
};

struct join_plan {
  std::string server;                         ///< name of this machine that the clusters use; with :port for a fixed port
  std::string key_file;                       ///< empty: a key is created for the job
  std::string hub;                            ///< address host:port of the hub that this program runs; empty: no hub
  std::map<std::string, std::string> wire;    ///< variables OSTEON_WIRE_ of all clusters, by name in lower case
  std::map<std::string, std::string> bridge;  ///< variables OSTEON_BRIDGE_ of all clusters, by name in lower case
  std::vector<join_cluster> clusters;
};

/// @param problems receives all faults
join_plan read_join_plan(const std::string& path, std::vector<problem>& problems);

/// The script for the standard input of the shell of a cluster. The script sets variables. The launcher with the program
/// then replaces the shell. The script contains the key. In a command line, other users could read the key.
/// @param variables variables OSTEON_WIRE_
std::string start_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& program);

/// Script for one process without the launcher. The prefix selects the machine of the process.
std::string relay_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& command);

/// Words of the launcher, for messages.
std::string launcher_text(const join_cluster& c);

}  // namespace osteon::bridge::launch
