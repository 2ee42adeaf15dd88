#pragma once
/// @file
/// The seal of a file: a digest of all its bytes, behind them (docs/reference/format.md).
///
/// HDF5 may crash on a damaged index or never return, so a file's bytes are checked before it sees them.
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

namespace osteon::io {

/// A part of a file that must have a digest.
struct file_part {
  std::int64_t address = 0, length = 0;
  std::string digest;  ///< hexadecimal XXH3
};

/// Append the seal to a closed file. Parts that were digested when written are not read again: the seal says what the file
/// is meant to hold there; the rest is read.
/// @param known ascending, apart @throws machine_error @collective local
void append_seal(const std::string& path, std::span<const file_part> known = {});

enum class seal_state { good, wrong, none };

/// Read a file's bytes and compare. `none`: it does not end with a seal.
/// @throws data_error if it cannot be read @collective local
seal_state read_seal(const std::string& path);
/// The same; the members share the reading. @collective on members
seal_state read_seal(MPI_Comm members, const std::string& path);

/// A message about a file whose seal is not good. @param what e.g. `model`
std::string seal_fault(seal_state found, const std::string& path, const std::string& what);

}  // namespace osteon::io
