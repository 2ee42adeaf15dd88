#pragma once
/// @file
/// Provenance of a result: versions, machine, command and text of the job.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Complete version text of the MPI library, with the options of its build for some libraries. @collective local
std::string mpi_library();

struct build_info {
  std::string version, git, compiler, flags, mpi, netcdf, hdf5;
};

/// Build configuration and linked libraries of this binary. @collective local
build_info this_build();

/// Model name of the CPU, and number of cores that this process may use.
std::string cpu_name();
int usable_cores();

/// Folder for measurements that several commands use. The folder is $OSTEON_CACHE, or osteon/ in the cache folder of the
/// user. If the user has no cache folder, the path is empty.
std::string cache_folder();

/// Present time in the format of ISO 8601, in UTC.
std::string utc_now();

/// Distinct names of the hosts of `comm`, on rank 0. @collective on comm @cost O(hosts) memory on rank 0
std::vector<std::string> host_names(MPI_Comm comm);

/// Write `text` to a file with a temporary name, synchronise the file, and rename the file to `path`. @throws machine_error
void write_file(const std::string& path, const std::string& text);

/// Peak resident memory of this process in bytes.
long long peak_rss_bytes();

}  // namespace osteon::job
