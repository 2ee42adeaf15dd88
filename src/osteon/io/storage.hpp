#pragma once
/// @file
/// Storage of values in a file: compression and chunks.
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace osteon::io {

/// Every HDF5 library supports `deflate`. `zstd` is faster than `deflate`, but every reader and writer requires the HDF5
/// filter 32015 in HDF5_PLUGIN_PATH. The Python package hdf5plugin, for example, contains this filter. With `none`,
/// variables are not chunked.
enum class compression { none, deflate, zstd };

inline constexpr int default_level = 1;  ///< higher levels are much slower with little gain for results

/// Parse a compression method. @throws usage_error for an unknown name
compression compression_of(const std::string& name);

struct storage {
  compression method = compression::deflate;
  std::optional<int>
      level{};  ///< 1 to 9 for deflate, 1 to 19 for zstd; empty: 1, or the fast level -3 for results with zstd
  int significant_digits = 0;  ///< 1 to 6: fields are rounded for better compression; 0: exact values
};

/// Reject invalid levels and digits, and a missing filter. @throws usage_error @collective local
void check_storage(const storage& options);

/// Error message if an HDF5 filter for a variable of an open file is missing; an empty text otherwise.
/// @collective local
std::string missing_filter(int group, int variable);

/// Number of mantissa bits of a float for a relative error of at most 0.5 * 10^-digits.
int bits_for_digits(int significant_digits);

/// Round floats to `bits` bits of their mantissa. Ties are rounded to even; NaN and infinity are preserved. BitRound of
/// netCDF does not change the rounded values. Therefore the digest of the rounded values equals the digest of the values in
/// the file.
void round_to_bits(std::span<float> values, int bits);

}  // namespace osteon::io
