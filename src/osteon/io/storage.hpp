#pragma once
/// @file
/// Storage of values in a file: compression and chunks.
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace osteon::io {

/// `deflate` is readable everywhere. `zstd` is faster, but every reader and writer requires the HDF5 filter 32015 in
/// HDF5_PLUGIN_PATH, for example of the Python package hdf5plugin. `none` is not chunked.
enum class compression { none, deflate, zstd };

inline constexpr int default_level = 1;  ///< higher ones cost much and save little on fields of a solver

/// @throws usage_error for another name
compression compression_of(const std::string& name);

struct storage {
  compression method = compression::deflate;
  std::optional<int> level{};  ///< 1 to 9, zstd 1 to 19; absent: 1, of results with zstd its fast level -3
  int significant_digits = 0;  ///< 1 to 6: fields are rounded to these, which compresses better; 0: kept exactly
};

/// Refuse levels and digits that do not exist, and a filter that cannot be found. @throws usage_error @collective local
void check_storage(const storage& how);

/// A message if a variable of an open file cannot be decompressed here because a filter is missing; else empty. @collective
/// local
std::string missing_filter(int group, int variable);

/// Bits of a float's mantissa that keep a relative error of at most 0.5 * 10^-digits.
int bits_for_digits(int significant_digits);

/// Round floats to `bits` of their mantissa, halves to even; NaN and infinity stay. netCDF's BitRound leaves the result
/// as it is, so a digest of it is that of the values in the file.
void round_to_bits(std::span<float> values, int bits);

}  // namespace osteon::io
