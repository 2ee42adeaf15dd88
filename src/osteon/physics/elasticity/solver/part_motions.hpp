#pragma once
/// @file
/// Analysis of the rigid motions that joints and supports permit for the parts of a solid. All parts are analysed
/// together.
#include <optional>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/elasticity/solver/rigid_bodies.hpp>
#include <osteon/physics/elasticity/solver/solid_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Coordinates of rigid motions as bits: translations along z, y, x, then rotations about z, y, x.
using motion_mask = std::uint8_t;

/// A candidate pin: the displacement of a node of a part along an axis.
struct pin_candidate {
  std::int32_t part;
  held_node where;
};

/// The motions of the parts of a solid, analysed on rank 0.
class part_motions {
 public:
  /// @param fixed prescribed displacements on this rank @param holds_largest the largest part counts as supported
  /// @collective on parts.comm()
  /// @cost each rank sends at most six supports per part, and three nodes per pair of touching parts
  part_motions(const solid_parts& parts, std::span<const prescribed_displacement> fixed, bool holds_largest = false);

  /// Coordinates in which each part can move. The mask of a supported part is 0. @collective
  std::vector<motion_mask> free_motions();

  /// Index of the rigid body that contains each part; 0 for supported parts. All parts of a body have equal motions.
  /// @collective rank 0
  std::vector<std::int32_t> bodies();

  /// Add the pins that restrict a motion permitted by supports and previous pins (see rigid_bodies::pin).
  /// @param candidates equal on all ranks @return per candidate: 1 if it was added @collective
  std::vector<std::uint8_t> add_pins(std::span<const pin_candidate> candidates);

 private:
  MPI_Comm comm_;
  std::size_t count_;
  std::optional<rigid_bodies> bodies_;  // rank 0
};

/// Supports of parts for find_spanning_parts(), equal on all ranks.
struct part_plates {
  std::vector<int> touched;  ///< per part, a bit for each plate that touches the part
  std::vector<int> ignored;  ///< per part; nonzero: not a load path
};

/// Find the movable parts that carry load: parts with two independent connections to supported parts. An example is a strut
/// that rotates about the line between two nodes. A connection is a common node of parts, a row of such nodes, or a plate. A
/// part with a single connection carries no load.
/// @param joint motions of the parts @return per part @collective on parts.comm()
std::vector<std::uint8_t> find_spanning_parts(const solid_parts& parts, part_motions& joint, const part_plates& plates);

}  // namespace osteon::physics
