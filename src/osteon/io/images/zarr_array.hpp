#pragma once
/// @file
/// Arrays of Zarr, versions 2 and 3: a folder with a file per chunk, or per shard of several chunks.
#include <cstdint>
#include <optional>
#include <osteon/io/images/chunk_decoder.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <string>
#include <vector>

namespace osteon::io::zarr {

/// Several chunks in one file, with a table of the offset and the length of each chunk.
struct shards {
  std::vector<std::int64_t> counts;  ///< chunks of a shard, by axis
  bool is_index_last = true;
  bool has_checksum = true;  ///< CRC-32C after the table
};

/// Layout of an array. Vectors have a value per axis of the array.
struct layout {
  std::string folder;
  std::vector<std::int64_t> shape, chunks;
  std::vector<std::size_t> stored_axes;  ///< order of the axes in a chunk, slowest first
  std::vector<std::size_t> z_y_x;        ///< the axes z, y and x; all other axes have length 1
  voxel::scalar type = voxel::scalar::u1;
  bool is_big_endian = false;
  std::vector<codec> codecs;    ///< in the order of encoding
  std::vector<std::byte> fill;  ///< a value of a missing chunk, in the byte order of the array
  std::string prefix, separator;
  std::optional<shards> by_shards;
};

/// Open an array. The result reads complete layers of chunks and stores one layer in memory. Missing chunks have the fill
/// value. The threads of OpenMP decode the chunks of a layer.
/// @throws data_error if the layout is inconsistent. Reading throws data_error for a chunk or shard that is truncated,
/// damaged or of another size, and for a file that changes between two reads.
voxel::image_planes open_array(const layout& of);

}  // namespace osteon::io::zarr
