#pragma once
/// @file
/// Assembly of complete planes from the boxes of all ranks, piece by piece (internal to io).
#include <osteon/grid/redistribute.hpp>
#include <osteon/io/chunked/plane_exchange.hpp>
#include <osteon/io/chunked/plane_source.hpp>

namespace osteon::io {

/// Gathers the pieces of a variable on their writers. Each rank computes its values on demand. A rank stores only one piece
/// and its messages for the pieces of other ranks.
class piece_gather {
 public:
  /// The arguments `exchange` and `boxes` must outlive the object.
  /// @param boxes box of the voxels of each rank
  /// @param on_nodes values are floats at nodes. For nodes shared by adjacent boxes, NaN values are ignored, and the value
  /// of the highest remaining rank is used. The result is NaN if all values are NaN
  /// @param point_bytes size of all components at a point in bytes
  piece_gather(MPI_Comm comm, const plane_exchange& exchange, const grid::box_tree& boxes, bool on_nodes,
               std::int64_t point_bytes);

  /// True if ranks exchange no values in this round. The result is equal on all ranks. @collective local
  bool is_alone(std::int64_t round) const;

  /// Gather the pieces of a round.
  /// @param make computes the values of this rank
  /// @param piece output: piece of this rank in the round
  /// @throws the exceptions of `make`, on all ranks @collective on comm
  void gather(std::int64_t round, const plane_source<std::byte>& make, std::span<std::byte> piece) const;

  /// Plan of the messages of this rank in a round; the elements of the plan are points. @collective local
  plan::neighbour_part plan_of(std::int64_t round) const;

 private:
  std::vector<grid::piece> sent_in(std::int64_t round) const;
  std::vector<grid::piece> received_in(std::int64_t round) const;  // includes pieces of this rank
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
