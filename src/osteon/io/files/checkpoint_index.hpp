#pragma once
/// @file
/// Metadata of a checkpoint file (docs/reference/format.md), without MPI.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/base/box.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::io {

constexpr std::size_t sha256_digits = 64;     ///< of a SHA-256 in hexadecimal
constexpr std::int64_t most_components = 64;  ///< maximum number of values per point of a vector; a yielded voxel has 56

/// Layout: vectors over points, plane by plane; the index as JSON; a line with the seal.
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
  /// Assign consecutive offsets to the vectors. @return offset of the index
  std::int64_t lay_out();
};

/// End of a file: index and seal.
std::string seal_checkpoint(const checkpoint_index& index);

/// Parse the index from JSON.
/// @param payload number of bytes before the index, equal to the total size of the vectors
/// @throws data_error that contains `path`
checkpoint_index parse_checkpoint_index(const std::string& path, std::string_view json, std::int64_t payload);

/// Read the index of a file and check its seal, not the values.
/// @throws data_error if the file is not a complete checkpoint
checkpoint_index read_checkpoint_index(const std::string& path);

}  // namespace osteon::io
