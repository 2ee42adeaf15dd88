#pragma once
/// @file
/// Gather and scatter of values at the points of all ranks by complete planes. Points are nodes or cells. Files with values
/// by planes are independent of the distribution of points over ranks.
///
/// The messages are all-to-all calls of MPI, not messages of a neighbour plan. Ranks determine the owners of the points of a
/// plane round by round. A rank therefore stores only a few planes.
#include <functional>
#include <osteon/grid/block.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/voxel/run_set.hpp>
#include <string>
#include <variant>

namespace osteon::grid {

/// A vector over the points of a rank. Copies of a point on several ranks must have equal values.
struct point_vector {
  std::string name;
  std::variant<std::span<float>, std::span<double>> values;
  node_layout layout;            ///< layout of the values by local number
  std::function<void()> fill{};  ///< if not empty, a function that computes the values before writing @collective

  std::size_t value_bytes() const { return values.index() == 0 ? sizeof(float) : sizeof(double); }
};

/// The active points of all ranks by planes. Each plane is assigned to one rank. If blocks are complete planes, a plane is
/// assigned to its owner. If blocks are bricks, the planes are divided equally among the ranks. In a plane, every point
/// occurs once. The order is by y, then by x.
class plane_points {
 public:
  /// The object borrows `points`.
  /// @param points cells or nodes of this rank; coordinates are relative to where.owned
  /// @param are_nodes true for nodes: the shape of all points is then where.domain + 1 instead of where.domain
  /// @collective on where.comm @cost one message per pair of ranks in each round; 8 bytes per point
  plane_points(const block& where, const voxel::run_set& points, bool are_nodes);

  MPI_Comm comm() const { return comm_; }
  index3 shape() const { return shape_; }
  /// Number of points in each global plane, shape (shape().z). The numbers are equal on all ranks.
  std::span<const std::int64_t> per_plane() const { return per_plane_; }

  /// Upper bound of the number of points that a rank holds at a time in gather() and scatter().
  std::int64_t most_points_at_once() const;

  /// Gather the values of the planes that are assigned to this rank, some planes at a time.
  /// @param take called with the first plane, the number of planes, and values of shape (points, components); must not throw
  /// @collective
  using taker = std::function<void(std::int64_t first, std::int64_t planes, std::span<const std::byte> values)>;
  void gather(const point_vector& vector, const taker& take) const;

  /// Scatter the values of planes to all ranks with these points. This function is the inverse of gather().
  /// @param give function that sets the values of some planes; must not throw @collective
  using giver = std::function<void(std::int64_t first, std::int64_t planes, std::span<std::byte> values)>;
  void scatter(const point_vector& vector, const giver& give) const;

 private:
  struct round;
  round make_round(std::int64_t number) const;
  void pack(const round& r, const point_vector& vector, std::vector<std::byte>& bytes, bool unpack) const;

  MPI_Comm comm_;
  index3 shape_, origin_;
  const voxel::run_set& points_;
  std::vector<std::int64_t> first_;  // first plane of each rank, followed by the number of planes
  std::int64_t step_ = 1, rounds_ = 0;
  std::vector<std::int64_t> per_plane_;
};

}  // namespace osteon::grid
