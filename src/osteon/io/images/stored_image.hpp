#pragma once
/// @file
/// Images that are read from their own files, without a copy. The readers of the Python package osteon.images describe the
/// layout of these files.
#include <nlohmann/json_fwd.hpp>
#include <osteon/voxel/image_planes.hpp>

namespace osteon::io {

/// Open an image.
/// @param description a JSON object with the key `kind`:
/// - "values": contiguous values in one file; keys path, offset, shape (z, y, x), type, is_big_endian
/// - "zarr": an array of Zarr; keys folder, shape, chunks, stored_axes, z_y_x, type, is_big_endian, codecs, fill (bytes as
///   hexadecimal text), prefix, separator, shards (null, or counts, is_index_last, has_checksum)
/// - "chunks": chunks of one file, as of HDF5; keys path, shape, chunks, stored_axes, z_y_x, type, is_big_endian, codecs,
/// fill,
///   and places (offset and bytes of each chunk in C order, -1 for a missing chunk)
/// @throws data_error if the description is invalid or a file is too short. Reading throws data_error for damaged files and
/// for files that change between two reads.
voxel::image_planes open_stored_image(const nlohmann::ordered_json& description);

}  // namespace osteon::io
