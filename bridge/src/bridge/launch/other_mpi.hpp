#pragma once
/// @file
/// Detection of processes of a joined job that have loaded another MPI, and therefore never join.
#include <sys/types.h>

#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct other_mpi {
  pid_t pid = 0;
  int cluster = 0;
  std::string program;  ///< its command line
  std::string library;  ///< the MPI that it has loaded
};

/// The other MPI library of a process according to /proc/PID/maps; empty if it has none, or the bridge's.
std::string mpi_without_ours(const std::string& maps);

/// Processes of this machine with this job key in their environment.
std::vector<other_mpi> find_other_mpi(const std::string& key);

}  // namespace osteon::bridge::launch
