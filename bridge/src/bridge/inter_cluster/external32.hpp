#pragma once
/// @file
/// Data in the representation external32 of the standard, which consists of big-endian IEEE numbers without gaps.
///
/// The bridge implements the conversion, because the underlying MPI libraries are inconsistent. In these libraries, MPI_LONG
/// has four bytes. Open MPI 4 counts eight bytes in MPI_Pack_external_size, and MPICH 4.0 aborts for MPI_WCHAR. In the
/// bridge, MPI_LONG has eight bytes, because four bytes would truncate values. A long double has 16 bytes.
#include <cstddef>
#include <span>
#include <vector>

namespace osteon::bridge {

/// Several consecutive numbers of one basic type.
struct run_of_numbers {
  std::size_t count = 0;
  std::size_t bytes = 1;  ///< size in bytes of each number in this process
  bool quad = false;      ///< true for a long double, which has 16 bytes in external32
  std::size_t bytes_outside() const { return quad ? 16 : bytes; }
};

/// Basic types of an element of a datatype in the order of packing.
using signature = std::vector<run_of_numbers>;

std::size_t bytes_here(const signature& s);
std::size_t bytes_outside(const signature& s);
/// Append `next`. If the last run has the same basic type, merge `next` with the last run.
void append(signature& s, const run_of_numbers& next);

/// Convert `elements` contiguous elements. `to` must be sufficiently large.
void encode(const signature& s, std::size_t elements, const std::byte* native, std::byte* to);
void decode(const signature& s, std::size_t elements, const std::byte* from, std::byte* native);

}  // namespace osteon::bridge
