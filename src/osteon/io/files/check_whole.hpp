#pragma once
/// @file
/// Integrity check performed by every reader of a model or result before reading.
#include <mpi.h>

#include <string>

namespace osteon::io {

/// Compare a file with its seal; a copy made by another program has no seal and is compared with the digests of its values.
/// @param what e.g. `model` @return a warning that names the file; empty if the seal is valid
/// @throws data_error if the file is damaged, truncated, or unfinished @collective local
std::string check_whole(const std::string& path, const std::string& what);
/// Overload in which the members share the reading and obtain the same result. @collective on members
std::string check_whole(MPI_Comm members, const std::string& path, const std::string& what);

}  // namespace osteon::io
