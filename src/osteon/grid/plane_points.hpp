#pragma once
/// @file
/// Values at points (nodes or cells) of all ranks by whole planes: files are independent of the decomposition.
///
/// The messages are an MPI all-to-all and not a neighbour plan: ranks request the owners of the points of each plane, round
/// by round, so that no rank stores more than some planes.
#include <functional>
#include <osteon/grid/block.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/voxel/run_set.hpp>
#include <string>
#include <variant>

namespace osteon::grid {

/// A vector over the points of a rank; copies of a point on several ranks are equal.
struct point_vector {
  std::string name;
  std::variant<std::span<float>, std::span<double>> values;
  node_layout layout;            ///< of the values, by local number
  std::function<void()> fill{};  ///< computes the values before they are written; none: they are already stored @collective

  std::size_t value_bytes() const { return values.index() == 0 ? sizeof(float) : sizeof(double); }
};

/// The active points of all ranks. A plane is handled by one rank: by its owner if blocks are complete planes, in equal
/// shares for bricks. In a plane, every point occurs once, in the order y, x.
class plane_points {
 public:
  /// Borrows `points`.
  /// @param points of this rank, coordinates local to where.owned: its cells, or its nodes
  /// @param are_nodes points of shape where.domain + 1 instead of where.domain
  /// @collective on where.comm @cost one message per pair of ranks and round of planes, 8 bytes per point
  plane_points(const block& where, const voxel::run_set& points, bool are_nodes);

  MPI_Comm comm() const { return comm_; }
  index3 shape() const { return shape_; }
  /// Number of points in each global plane, shape (shape().z); the same on all ranks.
  std::span<const std::int64_t> per_plane() const { return per_plane_; }

  /// Gather the values of this rank's planes, some planes at a time.
  /// @param take called with the first plane, their number and values of shape (points, components); it must not throw
  /// @collective
  using taker = std::function<void(std::int64_t first, std::int64_t planes, std::span<const std::byte> values)>;
  void gather(const point_vector& vector, const taker& take) const;

  /// Inverse: set a vector on all ranks that have the points.
  /// @param give sets the values of some planes; it must not throw @collective
  using giver = std::function<void(std::int64_t first, std::int64_t planes, std::span<std::byte> values)>;
  void scatter(const point_vector& vector, const giver& give) const;

 private:
  struct round;
  round meet(std::int64_t which) const;
  void pack(const round& r, const point_vector& vector, std::vector<std::byte>& bytes, bool unpack) const;

  MPI_Comm comm_;
  index3 shape_, origin_;
  const voxel::run_set& points_;
  std::vector<std::int64_t> first_;  // plane of each rank, and the end
  std::int64_t step_ = 1, rounds_ = 0;
  std::vector<std::int64_t> per_plane_;
};

}  // namespace osteon::grid
