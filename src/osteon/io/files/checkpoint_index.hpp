#pragma once
/// @file
/// The metadata of a checkpoint file (docs/reference/format.md); without MPI.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/base/box.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::io {

constexpr std::size_t sha256_digits = 64;     ///< of a SHA-256 in hexadecimal
constexpr std::int64_t most_components = 64;  ///< values of a point in a vector; a voxel that has yielded has 56

/// Vectors over points, a plane after the other; then the index as JSON, then a line that seals it.
struct checkpoint_index {
  struct vector {
    std::string name;
    int components = 1;
    int value_bytes = 4;      ///< 4: float, 8: double
    std::string digests;      ///< SHA-256 of each plane, sha256_digits characters each
    std::int64_t offset = 0;  ///< in the file; follows from the vectors before
    std::int64_t bytes() const { return std::int64_t{components} * value_bytes; }  ///< of a point
  };
  index3 shape;                         ///< of the points
  std::vector<std::int64_t> per_plane;  ///< points of each plane
  std::vector<vector> vectors;
  nlohmann::ordered_json facts;  ///< facts of the writer, returned unchanged

  std::int64_t points() const;
  /// Place the vectors one behind the other. @return where the index begins
  std::int64_t lay_out();
};

/// The end of a file: index and seal.
std::string seal_checkpoint(const checkpoint_index& index);

/// The index from its JSON.
/// @param payload bytes before the index, which the vectors must fill
/// @throws data_error, with `path` in its text
checkpoint_index parse_checkpoint_index(const std::string& path, std::string_view json, std::int64_t payload);

/// Read the index of a file and check its seal, not the values.
/// @throws data_error if it is no complete checkpoint
checkpoint_index read_checkpoint_index(const std::string& path);

}  // namespace osteon::io
