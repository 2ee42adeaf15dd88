#pragma once
/// @file
/// Commands of the bridge, used by osteon-bridge and by other programs. The commands print to stderr.
#include <bridge/error.hpp>
#include <string>
#include <vector>

namespace osteon::bridge::command {

struct join_request {
  std::string name = "osteon-bridge join";  ///< name of the command, a prefix of each message
  std::string file;                         ///< file with the clusters (TOML; bridge/docs/wire.md)
  std::vector<std::string> program;         ///< and its arguments
  double grace_s = 10;                      ///< time for the remaining clusters to end after a failure
  bool shows_scripts = false;               ///< print the script of each cluster's shell, including the job key
};

/// Run one MPI program over several clusters until the end of the program. If a relay is required, the current program is
/// started again as `relay`.
/// @return the exit code of the job @throws usage_error; machine_error if the job cannot be started
int join(const join_request& request);

struct relay_request {
  int cluster = -1;    ///< index of the cluster of the processes behind this relay
  std::string hub;     ///< host:port of the hub; empty: this relay is the hub
  std::string listen;  ///< host:port for connections of the processes
};

/// Forward the packets of a cluster's processes until the job ends. Server, key and other settings are read from the
/// variables OSTEON_WIRE_... (bridge/docs/wire.md). @return 0 @throws usage_error, machine_error
int relay(const relay_request& request);

}  // namespace osteon::bridge::command
