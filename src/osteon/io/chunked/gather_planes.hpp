#pragma once
/// @file
/// Assembly of complete planes from the boxes of all ranks, piece by piece (internal to io).
#include <osteon/grid/redistribute.hpp>
#include <osteon/io/chunked/plane_exchange.hpp>
#include <osteon/io/chunked/plane_source.hpp>

namespace osteon::io {

/// Sends the pieces of a variable to their writers. A rank computes the values of a piece on demand, so that in addition to
/// its source data it stores a piece and its messages for the pieces of others.
class piece_gather {
 public:
  /// Borrows all arguments but the last.
  /// @param boxes of the voxels of each rank
  /// @param on_nodes values are floats at nodes: adjacent boxes share them, the value of the highest rank is used, and NaN
  /// only if all have it
  /// @param point_bytes size of all components of a value in bytes
  piece_gather(MPI_Comm comm, const plane_exchange& exchange, const grid::box_tree& boxes, bool on_nodes,
               std::int64_t point_bytes);

  /// True if no values are exchanged between ranks in this round. Equal on all ranks. @collective local
  bool is_alone(std::int64_t round) const;

  /// @param make computes this rank's values
  /// @param piece output; size of this rank's piece of the round
  /// @throws what `make` throws, on all ranks @collective on comm
  void gather(std::int64_t round, const plane_source<std::byte>& make, std::span<std::byte> piece) const;

  /// Plan of the messages of this rank in a round, with points as elements. @collective local
  plan::neighbour_part plan_of(std::int64_t round) const;

 private:
  std::vector<grid::piece> sent_in(std::int64_t round) const;
  std::vector<grid::piece> received_in(std::int64_t round) const;  // including those of this rank
  plan::neighbour_part plan_of(std::span<const grid::piece> send, std::span<const grid::piece> receive) const;
  box3 box_of(int rank) const;
  std::int64_t bytes_of(const box3& part) const { return part.volume() * point_bytes_; }
  std::vector<grid::piece> parts_of(plane_range planes) const;
  void put(const box3& part, const std::byte* from, plane_range planes, std::span<std::byte> piece) const;

  MPI_Comm comm_;
  const plane_exchange& exchange_;
  const grid::box_tree& boxes_;
  bool on_nodes_;
  std::int64_t point_bytes_;
};

}  // namespace osteon::io
