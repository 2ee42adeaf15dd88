#pragma once
/// @file
/// Exact computation of the infinitesimal motions of rigid bodies that share nodes of a lattice.
///
/// A motion of a body has six coordinates: translations of the lattice point 0 along z, y, x, and rotations about z, y, x.
/// The results are valid for any voxel edge lengths, because scaling the lattice along its axes preserves rigid motions.
#include <array>
#include <map>
#include <optional>
#include <osteon/base/box.hpp>
#include <osteon/physics/elasticity/solver/exact_rows.hpp>
#include <vector>

namespace osteon::physics {

/// The coordinates of a rigid motion: translations along z, y, x, then rotations about z, y, x.
using rigid_motion = std::array<residue, 6>;

/// Nodes shared by two bodies. The nodes restrict the relative motion of the bodies: one, two, or three non-collinear
/// nodes.
class contact {
 public:
  /// @return true if the node restricts a motion permitted by the previous nodes
  bool add(index3 node);
  bool is_weld() const { return nodes_.size() == 3; }
  const std::vector<index3>& nodes() const { return nodes_; }

 private:
  std::vector<index3> nodes_;
};

/// The displacement of a node along an axis, prescribed by a support.
struct held_node {
  index3 node;
  int along;
};

/// Supports that restrict the motion of a body: at most six.
class body_supports {
 public:
  /// @return true if the support restricts a motion permitted by the previous supports
  bool add(const held_node& support);
  bool hold_all() const { return list_.size() == 6; }
  const std::vector<held_node>& list() const { return list_; }

 private:
  std::vector<held_node> list_;
  std::vector<rigid_motion> rows_;  // row echelon form with leading 1
};

/// Bodies, joints and supports. Add joints and supports, call `settle`, and query the motions.
class rigid_bodies {
 public:
  explicit rigid_bodies(std::size_t count);

  /// Add a node shared by two bodies.
  void join(std::int32_t a, std::int32_t b, index3 node);
  /// Add a support of a body.
  void hold(std::int32_t body, const held_node& support);

  /// Compute the motions of all bodies jointly.
  /// @cost merges rigidly connected bodies, then eliminates six unknowns per remaining body in the order of approximate
  /// minimum degree
  void settle();

  /// Coordinates of a random motion permitted by joints, supports and pins. A coordinate is zero if the coordinate is zero
  /// in all permitted motions. @pre settled
  rigid_motion motion_of(std::int32_t body);

  /// Add a pin if the pin restricts a motion permitted by joints, supports and previous pins. The reaction of the pin is
  /// zero if the loads do no work in the restricted motion. @pre settled
  /// @return true if the pin was added
  bool pin(std::int32_t body, const held_node& where);

 private:
  static constexpr std::int32_t ground = 0;  // body b has index b + 1

  std::int32_t root_of(std::int32_t member);
  void touch(std::int32_t a, std::int32_t b, index3 node);
  void restrain(std::int32_t root, const held_node& support);
  void weld(std::int32_t a, std::int32_t b);
  void weld_pending();
  void merge_neighbourhoods();
  bool merge_around(std::int32_t root, std::vector<std::int32_t>& changed);
  void eliminate();
  std::vector<std::int32_t> order_of_elimination(const std::vector<std::int32_t>& roots) const;

  std::vector<std::int32_t> parent_;
  std::vector<std::map<std::int32_t, contact>> contacts_;  // contacts of each root, by the other root; empty for the ground
  std::vector<body_supports> supports_;                    // supports of roots
  std::vector<std::array<std::int32_t, 2>> pending_;       // pairs to be merged
  std::vector<std::int32_t> place_;                        // positions of roots in the order of elimination
  std::optional<exact_rows> rows_;
  std::vector<residue> motion_;  // motions by position in the order of elimination; empty: not computed yet
};

}  // namespace osteon::physics
