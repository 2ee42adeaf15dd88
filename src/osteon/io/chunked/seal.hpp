#pragma once
/// @file
/// Seal of a file: a digest of all bytes of the file, appended at its end (docs/reference/format.md).
///
/// HDF5 may crash or hang on a damaged index. Therefore the bytes of a file are checked before HDF5 opens the file.
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

/// Append the seal to a closed file. For the parts in `known`, the seal contains the given digests of the intended content.
/// The digests of all other parts are computed from the file.
/// @param known parts with digests computed during writing; ascending and disjoint @throws machine_error @collective local
void append_seal(const std::string& path, std::span<const file_part> known = {});

enum class seal_state { good, wrong, none };

/// Compare the bytes of a file with its seal. Returns `none` if the file has no seal.
/// @throws data_error if the file cannot be read @collective local
seal_state read_seal(const std::string& path);
/// Compare the bytes of a file with its seal. Each member reads a part of the file. @collective on members
seal_state read_seal(MPI_Comm members, const std::string& path);

/// Error message about a file with an invalid or missing seal. @param kind kind of the file, for example `model`
std::string seal_fault(seal_state found, const std::string& path, const std::string& kind);

}  // namespace osteon::io
