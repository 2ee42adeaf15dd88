#pragma once
/// @file
/// From planes per rank to whole chunks per rank (internal to io).
///
/// Every chunk is written by the rank that has its first plane. So no chunk is compressed twice, its digest is known to
/// one rank, and the file does not depend on the decomposition.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace osteon::io {

/// Whole chunks of a rank: `body` follows directly in the caller's memory, `tail` was completed with planes from above.
struct aligned_planes {
  std::int64_t body_begin = 0, body_end = 0;  ///< planes
  std::span<const std::byte> body;
  std::int64_t tail_begin = 0, tail_end = 0;  ///< planes of at most one chunk
  std::vector<std::byte> tail;
};

/// @param first first plane of each rank, and the number of planes at the end; shape (ranks + 1), ascending
/// @param values the planes [first[rank], first[rank + 1])
/// @collective on comm
aligned_planes align_to_chunks(MPI_Comm comm, std::span<const std::int64_t> first, std::int64_t chunk_planes,
                               std::int64_t bytes_per_plane, std::span<const std::byte> values);

}  // namespace osteon::io
