#pragma once
/// @file
/// Seal of a file: a digest of all its bytes, appended to them (docs/reference/format.md).
///
/// HDF5 may crash or hang on a damaged index, so the bytes of a file are checked before HDF5 opens it.
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

namespace osteon::io {

/// Part of a file with its expected digest.
struct file_part {
  std::int64_t address = 0, length = 0;
  std::string digest;  ///< hexadecimal XXH3
};

/// Append the seal to a closed file. Parts digested during writing are not read again: the seal contains the digest of their
/// intended content. The rest is read.
/// @param known ascending and disjoint @throws machine_error @collective local
void append_seal(const std::string& path, std::span<const file_part> known = {});

enum class seal_state { good, wrong, none };

/// Read the bytes of a file and compare them with its seal. Returns `none` if the file does not end with a seal.
/// @throws data_error if the file cannot be read @collective local
seal_state read_seal(const std::string& path);
/// Overload in which the members share the reading. @collective on members
seal_state read_seal(MPI_Comm members, const std::string& path);

/// Message about a file whose seal is not valid. @param what e.g. `model`
std::string seal_fault(seal_state found, const std::string& path, const std::string& what);

}  // namespace osteon::io
