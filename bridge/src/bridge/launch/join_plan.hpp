#pragma once
/// @file
/// A job over several clusters as its file says it (bridge/docs/wire.md), and the commands that start it.
#include <bridge/error.hpp>
#include <map>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct join_cluster {
  std::string name;
  int ranks = 0;
  std::vector<std::string> launcher{"mpirun"};  ///< words; {ranks} in them is replaced, else `-n RANKS` is added
  std::vector<std::string> options;             ///< further words for the launcher
  std::vector<std::string> prefix;              ///< command that starts a shell on the cluster, such as ssh host
  std::string adapter;                          ///< as OSTEON_MPI; of the standard ABI abi:/LIBRARY; empty: found out there
  std::string library;                          ///< folder of our libmpi_abi.so.1 there
  std::string directory;                        ///< where to start the program
  std::string server;                           ///< how this cluster reaches the start-up server, if not as the others do
  std::string address;                          ///< settings::address
  std::string relay;                            ///< host:port at which its relay listens; empty: none
  std::string osteon;                           ///< path of osteon there, for the relay
  std::map<std::string, std::string> environment, wire;
};

struct join_plan {
  std::string server;    ///< host that the clusters reach this machine by, with :port if it must be a certain one
  std::string key_file;  ///< empty: a key is made for the job
  std::string hub;       ///< host:port of the hub that this program runs; empty: none
  std::map<std::string, std::string> wire;    ///< OSTEON_WIRE_ variables of all clusters, by lower-case name
  std::map<std::string, std::string> bridge;  ///< OSTEON_BRIDGE_ variables, likewise
  std::vector<join_cluster> clusters;
};

/// @param problems gets everything that is wrong
join_plan read_join_plan(const std::string& path, std::vector<problem>& problems);

/// The script that a cluster's shell gets on its standard input: variables, then the launcher with the program in the
/// shell's place. The key is in it, and on no command line, where others could read it.
/// @param variables OSTEON_WIRE_ variables
std::string start_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& program);

/// The same for one process without the launcher, on the machine that the prefix leads to.
std::string relay_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& words);

/// Words of the launcher, for messages.
std::string launcher_in_words(const join_cluster& c);

}  // namespace osteon::bridge::launch
