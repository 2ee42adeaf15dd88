#pragma once
/// @file
/// Results of a job on several clusters: each cluster writes its planes to results.0.nc, results.1.nc, ... instead of
/// results.nc. list_fields and read_field treat these parts as one file named results.nc.
#include <string>
#include <vector>

namespace osteon::io {

/// Path of the part of a cluster, e.g. `out/results.1.nc` for `out/results.nc` and cluster 1.
std::string part_of_results(const std::string& path, int index);

/// Return true if the results or the first of their parts exist.
bool results_exist(const std::string& path);

/// The file itself, or its parts in the order of their planes.
/// @throws data_error if a part is missing, or if the number of parts is unknown @collective local
std::vector<std::string> files_of_results(const std::string& path);

}  // namespace osteon::io
