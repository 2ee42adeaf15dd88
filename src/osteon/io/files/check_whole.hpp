#pragma once
/// @file
/// Integrity check performed by every reader of a model or result before reading.
#include <mpi.h>

#include <string>

namespace osteon::io {

/// Compare a file with its seal. A copy made by another program has no seal; the values of the copy are compared with their
/// digests.
/// @param kind kind of the file, for example `model` @return a warning about the file; empty if the seal is valid
/// @throws data_error if the file is damaged, truncated, or unfinished @collective local
std::string check_whole(const std::string& path, const std::string& kind);
/// Overload for a team: each member reads a part of the file. The result is equal on all members. @collective on members
std::string check_whole(MPI_Comm members, const std::string& path, const std::string& kind);

}  // namespace osteon::io
