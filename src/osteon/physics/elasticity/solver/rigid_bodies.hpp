#pragma once
/// @file
/// Rigid bodies that share nodes of a lattice: the infinitesimal motions permitted by joints and supports, computed exactly.
///
/// A motion of a body has six coordinates: translations along z, y, x of the lattice point 0, and rotations about z, y, x.
/// Scaling the lattice along its axes scales displacements and keeps rigid motions rigid, so the results hold for voxels of
/// any edge lengths.
#include <array>
#include <map>
#include <optional>
#include <osteon/base/box.hpp>
#include <osteon/physics/elasticity/solver/exact_rows.hpp>
#include <vector>

namespace osteon::physics {

/// The coordinates of a rigid motion: translations along, then rotations about z, y, x.
using rigid_motion = std::array<residue, 6>;

/// Nodes shared by two bodies, as far as they restrict relative motion: one, two, or three non-collinear nodes.
class contact {
 public:
  /// @return whether the node restricts a motion permitted by the nodes before
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

/// Supports of one body, as far as they restrict its motion: at most six.
class body_supports {
 public:
  /// @return whether the support restricts a motion permitted by the supports before
  bool add(const held_node& support);
  bool hold_all() const { return list_.size() == 6; }
  const std::vector<held_node>& list() const { return list_; }

 private:
  std::vector<held_node> list_;
  std::vector<rigid_motion> rows_;  // each with a leading 1 in a column where the others before have 0
};

/// Bodies, joints and supports. Add these first, then call `settle`, then query the motions.
class rigid_bodies {
 public:
  explicit rigid_bodies(std::size_t count);

  /// Two bodies share a node.
  void join(std::int32_t a, std::int32_t b, index3 node);
  /// A support prescribes a displacement of a body.
  void hold(std::int32_t body, const held_node& support);

  /// Find the motions of all bodies jointly.
  /// @cost Bodies connected rigidly to their neighbours are merged first; the remaining system of six unknowns per body is
  /// eliminated in the order of approximate minimum degree
  void settle();

  /// The coordinates of a random motion that joints, supports and pins permit; zero where they are zero in all such motions.
  /// @pre settled
  rigid_motion motion_of(std::int32_t body);

  /// Add a pin if it restricts a motion permitted by joints, supports and earlier pins. It bears no load, because loads do
  /// no work in such a motion. @pre settled
  /// @return whether it was added
  bool pin(std::int32_t body, const held_node& where);

 private:
  static constexpr std::int32_t ground = 0;  // body b is member b + 1

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
  std::vector<std::map<std::int32_t, contact>> contacts_;  // contacts of roots, by the other root; none for the ground
  std::vector<body_supports> supports_;                    // supports of roots
  std::vector<std::array<std::int32_t, 2>> pending_;       // to be welded
  std::vector<std::int32_t> place_;                        // positions of roots in the order of elimination
  std::optional<exact_rows> rows_;
  std::vector<residue> motion_;  // by place; empty: not computed yet
};

}  // namespace osteon::physics
