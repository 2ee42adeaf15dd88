#pragma once
/// @file
/// Detection of processes of a joined job that have loaded another MPI library. Such processes never join the job.
#include <sys/types.h>

#include <string>
#include <vector>

namespace osteon::bridge::launch {

struct other_mpi {
  pid_t pid = 0;
  int cluster = 0;
  std::string program;  ///< command line of the process
  std::string library;  ///< MPI library that the process has loaded
};

/// The other MPI library of a process, according to /proc/PID/maps. If the process has loaded no MPI library, or the library
/// of the bridge, the result is empty.
std::string mpi_without_ours(const std::string& maps);

/// Processes on this machine that have this key of the job in their environment.
std::vector<other_mpi> find_other_mpi(const std::string& key);

}  // namespace osteon::bridge::launch
