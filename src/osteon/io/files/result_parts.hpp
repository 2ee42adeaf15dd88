#pragma once
/// @file
/// Results of a job on several clusters. Each cluster writes its planes to a separate file (results.0.nc, results.1.nc,
/// ...). list_fields and read_field treat these parts as one file results.nc.
#include <string>
#include <vector>

namespace osteon::io {

/// Path of the part of a cluster, for example `out/results.1.nc` for `out/results.nc` and cluster 1.
std::string results_part_path(const std::string& path, int index);

/// Return true if the results file or its first part exists.
bool results_exist(const std::string& path);

/// Paths of the results: the file, or its parts in the order of planes.
/// @throws data_error if a part is missing, or if the number of parts is unknown @collective local
std::vector<std::string> results_files(const std::string& path);

}  // namespace osteon::io
