#pragma once
/// @file
/// The seal of a file: a digest of all its bytes, behind them (docs/format.md).
///
/// HDF5 may crash on a damaged index or never return, so a file's bytes are checked before it sees them.
#include <cstdint>
#include <osteon/io/access.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Digests of a file's blocks of 4 MiB, hexadecimal, by this member of a team of `members`: every members-th one.
/// @throws data_error if the bytes cannot be read @collective local
std::vector<std::string> block_digests(const std::string& path, std::int64_t length, int member, int members);

/// Put the seal behind a closed file; the members of the team share the reading. @throws machine_error
/// @collective on team.comm
void append_seal(MPI_Comm members, const std::string& path);
/// The same by one process. @collective local
void append_seal(const std::string& path);

enum class seal_state { good, wrong, none };

/// Read a file's bytes and compare. `none`: it does not end with a seal.
/// @throws data_error if it cannot be read @collective local
seal_state read_seal(const std::string& path);
/// @collective on members
seal_state read_seal(MPI_Comm members, const std::string& path);

/// What to say of a file whose seal is not good. @param what e.g. `model`
std::string seal_fault(seal_state found, const std::string& path, const std::string& what);

}  // namespace osteon::io
