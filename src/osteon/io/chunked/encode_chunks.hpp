#pragma once
/// @file
/// Encoding of the chunks of a rank, and their transfer to writers (internal to io).
#include <array>
#include <functional>
#include <memory>
#include <osteon/io/access.hpp>
#include <osteon/io/chunked/plane_exchange.hpp>
#include <osteon/io/netcdf.hpp>
#include <type_traits>
#include <vector>

namespace osteon::io {

/// A chunk as stored in the file.
struct stored_chunk {
  std::int64_t first_plane = 0, bytes = 0;
  std::int64_t address = -1;                 ///< address in the file
  std::array<char, digest_length> digest{};  ///< digest of the stored bytes, not of the values
};
static_assert(std::is_trivially_copyable_v<stored_chunk>);

/// Chunks of a piece, in order. With compression, the bytes are in `packed`; without compression, the bytes are the values.
struct encoded_piece {
  std::vector<stored_chunk> chunks;
  std::vector<std::span<const std::byte>> bytes;  ///< bytes of each chunk
  std::string value_digests;                      ///< digests of the values, digest_length characters per chunk
  std::vector<std::unique_ptr<std::byte[]>> packed;
};

/// Encode the chunks of complete planes by the threads of this rank. @throws machine_error @collective local
encoded_piece encode_chunks(const plane_variable& v, const storage& options, plane_range planes,
                            std::span<const std::byte> values);

/// Chunks to be written by a member: its own chunks and the chunks of the ranks that it serves.
struct chunks_to_write {
  std::vector<stored_chunk> chunks;
  std::vector<std::span<const std::byte>> bytes;
  std::vector<std::unique_ptr<std::byte[]>> received;
};

/// Send the encoded chunks of all ranks to the members of the team.
/// @param mine chunks of this rank; must remain valid until the chunks are written @throws machine_error on all ranks
/// @collective on comm
chunks_to_write ship_chunks(MPI_Comm comm, const file_team& team, std::int64_t bytes_per_message, const encoded_piece& mine);

/// Assign addresses to the chunks of all ranks, in the order of the ranks.
/// @param place function that assigns the addresses; called on rank 0 @collective on comm
void place_chunks(MPI_Comm comm, std::vector<stored_chunk>& mine, const std::function<void(std::span<stored_chunk>)>& place);

}  // namespace osteon::io
