#pragma once
/// @file
/// Packed chunks on their way into the file (internal to io).
#include <functional>
#include <osteon/io/access.hpp>
#include <osteon/io/chunked/encode_chunks.hpp>

namespace osteon::io {

/// Chunks where they are written: those of this rank, and those of the ranks that it serves.
struct chunks_to_write {
  std::vector<stored_chunk> chunks;
  std::vector<std::span<const std::byte>> bytes;
  std::vector<std::unique_ptr<std::byte[]>> received;
};

/// Bring the chunks of all ranks to the members of the team; they are packed before they travel.
/// @param mine has to stay where it is until the chunks are written @throws machine_error on all ranks
/// @collective on comm
chunks_to_write ship_chunks(MPI_Comm comm, const file_team& team, std::int64_t bytes_per_message, const encoded_piece& mine);

/// Let rank 0 give every chunk of all ranks its address, in the order of the ranks.
/// @param place called on rank 0 @collective on comm
void place_chunks(MPI_Comm comm, std::vector<stored_chunk>& mine, const std::function<void(std::span<stored_chunk>)>& place);

}  // namespace osteon::io
