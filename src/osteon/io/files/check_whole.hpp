#pragma once
/// @file
/// The check that every reader of a model or result makes first.
#include <mpi.h>

#include <string>

namespace osteon::io {

/// Hold a file against its seal; a copy that another program made has none, and is held against the digests of its values.
/// @param what e.g. `model` @return a warning that names the file, empty if the seal is good
/// @throws data_error if it is damaged, cut, or the unfinished file of a run @collective local
std::string check_whole(const std::string& path, const std::string& what);
/// The same; the members share the reading and get the same answer. @collective on members
std::string check_whole(MPI_Comm members, const std::string& path, const std::string& what);

}  // namespace osteon::io
