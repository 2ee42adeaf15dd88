#pragma once
/// @file
/// A rank's chunks, packed (internal to io).
#include <array>
#include <memory>
#include <osteon/io/chunked/plane_exchange.hpp>
#include <osteon/io/netcdf.hpp>
#include <type_traits>
#include <vector>

namespace osteon::io {

/// A chunk as stored in the file.
struct stored_chunk {
  std::int64_t first_plane = 0, bytes = 0;
  std::int64_t address = -1;                 ///< in the file
  std::array<char, digest_length> digest{};  ///< of these bytes, not of the values
};
static_assert(std::is_trivially_copyable_v<stored_chunk>);

/// Chunks of a piece, in order. Their bytes are in `packed`, or if they are stored as they are, in the values.
struct encoded_piece {
  std::vector<stored_chunk> chunks;
  std::vector<std::span<const std::byte>> bytes;  ///< of each chunk
  std::string value_digests;                      ///< digest_length characters a chunk
  std::vector<std::unique_ptr<std::byte[]>> packed;
};

/// Pack the chunks of whole planes, by the threads of this rank. @throws machine_error @collective local
encoded_piece encode_chunks(const plane_variable& v, const storage& how, plane_range planes,
                            std::span<const std::byte> values);

}  // namespace osteon::io
