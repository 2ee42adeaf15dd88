#pragma once
/// @file
/// Arrays in chunks: Zarr, versions 2 and 3, a folder with a file per chunk, or per shard of several chunks; or HDF5, one
/// file.
#include <cstdint>
#include <limits>
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

/// Place of an encoded chunk in a file.
struct chunk_place {
  std::uint64_t offset = std::numeric_limits<std::uint64_t>::max(), length = 0;  ///< the default is a missing chunk
};

/// Layout of an array. Vectors have a value per axis of the array.
struct layout {
  std::string folder;               ///< folder of Zarr, or the file of `places`
  std::vector<chunk_place> places;  ///< of all chunks in C order, if they are in one file; otherwise empty
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
