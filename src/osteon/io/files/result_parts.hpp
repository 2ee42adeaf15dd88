#pragma once
/// @file
/// Results of a job over several clusters: in place of results.nc each cluster wrote its planes, to results.0.nc,
/// results.1.nc and so on. list_fields and read_field take them as one file of that name.
#include <string>
#include <vector>

namespace osteon::io {

/// `out/results.nc` of cluster 1: `out/results.1.nc`.
std::string part_of_results(const std::string& path, int index);

/// Whether there are results of this name, or the first of their parts.
bool results_exist(const std::string& path);

/// The file itself, or the parts in its place by their planes.
/// @throws data_error if one of them is missing, or if their number is not known @collective local
std::vector<std::string> files_of_results(const std::string& path);

}  // namespace osteon::io
