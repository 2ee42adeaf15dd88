#pragma once
/// @file
/// Index of a checkpoint file (docs/reference/format.md); serial.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/base/box.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::io {

constexpr std::size_t sha256_digits = 64;     ///< hexadecimal digits of a SHA-256
constexpr std::int64_t most_components = 64;  ///< maximum number of values per point of a vector; plasticity requires 56

/// A checkpoint file consists of vectors over points, plane by plane, the index as JSON, and a line with the seal.
struct checkpoint_index {
  struct vector {
    std::string name;
    int components = 1;
    int value_bytes = 4;      ///< 4: float, 8: double
    std::string digests;      ///< SHA-256 of each plane, sha256_digits characters per plane
    std::int64_t offset = 0;  ///< offset in the file, set by lay_out()
    std::int64_t bytes() const { return std::int64_t{components} * value_bytes; }  ///< bytes per point
  };
  index3 shape;                         ///< shape of the grid of points
  std::vector<std::int64_t> per_plane;  ///< points of each plane
  std::vector<vector> vectors;
  nlohmann::ordered_json facts;  ///< data of the writer, returned unchanged

  std::int64_t points() const;
  /// Assign consecutive offsets to the vectors. @return offset of the index
  std::int64_t lay_out();
};

/// Text at the end of a file: index and seal.
std::string seal_checkpoint(const checkpoint_index& index);

/// Parse the index from JSON.
/// @param payload number of bytes before the index, equal to the total size of the vectors
/// @throws data_error with `path` in its message
checkpoint_index parse_checkpoint_index(const std::string& path, std::string_view json, std::int64_t payload);

/// Read the index of a file and check its seal. The values are not checked.
/// @throws data_error if the file is not a complete checkpoint
checkpoint_index read_checkpoint_index(const std::string& path);

}  // namespace osteon::io
