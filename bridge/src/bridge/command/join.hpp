#pragma once
/// @file
/// Commands of the bridge. osteon-bridge and other programs use these commands. The commands print to stderr.
#include <bridge/error.hpp>
#include <string>
#include <vector>

namespace osteon::bridge::command {

struct join_request {
  std::string name = "osteon-bridge join";  ///< name of the command; this name is the prefix of each message
  std::string file;                         ///< file with the clusters (TOML; bridge/docs/wire.md)
  std::vector<std::string> program;         ///< the program and its arguments
  double grace_s = 10;                      ///< time in s for the other clusters to end after a failure
  /// true: print the script for the shell of each cluster, including the key of the job
  bool shows_scripts = false;
};

/// Run one MPI program over several clusters until the program ends. If a relay is needed, this program is started again
/// with the command `relay`.
/// @return the exit code of the job @throws usage_error; machine_error if the job cannot be started
int join(const join_request& request);

struct relay_request {
  int cluster = -1;    ///< index of the cluster with the processes behind this relay
  std::string hub;     ///< address host:port of the hub; empty: this relay is the hub
  std::string listen;  ///< address host:port to which the processes connect
};

/// Forward the packets of the processes of a cluster until the job ends. The server, the key and other settings are in the
/// variables OSTEON_WIRE_... (bridge/docs/wire.md). @return 0 @throws usage_error, machine_error
int relay(const relay_request& request);

}  // namespace osteon::bridge::command
