#pragma once
/// @file
/// What a result was made with: versions, machine, command, job text.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct build_info {
  std::string version, git, compiler, flags, mpi, netcdf, hdf5;
};

/// How this binary was built and what it is linked to. @collective local
build_info this_build();

/// Model name of the CPU and number of cores that this process may use.
std::string cpu_name();
int usable_cores();

/// Where what was measured is kept between commands: $OSTEON_CACHE, or osteon/ of the user's cache folder. Empty if this
/// user has no place for it.
std::string cache_folder();

/// Time now, ISO 8601 in UTC.
std::string utc_now();

/// Names of the hosts of `comm`, each once, on rank 0. @collective on comm @cost O(hosts) memory on rank 0
std::vector<std::string> host_names(MPI_Comm comm);

/// Write `text` to `path` under a temporary name, sync it, rename it. @throws machine_error
void write_file(const std::string& path, const std::string& text);

/// Peak resident memory of this process in bytes.
long long peak_rss_bytes();

}  // namespace osteon::job
