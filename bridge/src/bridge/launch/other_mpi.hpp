#pragma once
/// @file
/// Finding processes of a joined job that have loaded an MPI of their own, and so will never join.
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

/// The MPI library that a process runs on by itself, as /proc/PID/maps says it; empty if it has none, or ours.
std::string mpi_without_ours(const std::string& maps);

/// Those of this machine that were started with this job key in their environment.
std::vector<other_mpi> find_other_mpi(const std::string& key);

}  // namespace osteon::bridge::launch
