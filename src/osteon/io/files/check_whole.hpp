#pragma once
/// @file
/// Integrity check performed by every reader of a model or result before reading.
#include <mpi.h>

#include <string>

namespace osteon::io {

/// Compare a file with its seal. A copy made by another program has no seal and is compared with the digests of its values.
/// @param kind kind of the file, for example `model` @return a warning about the file; empty if the seal is valid
/// @throws data_error if the file is damaged, truncated, or unfinished @collective local
std::string check_whole(const std::string& path, const std::string& kind);
/// Overload in which each member reads a part of the file; the result is equal on all members. @collective on members
std::string check_whole(MPI_Comm members, const std::string& path, const std::string& kind);

}  // namespace osteon::io
