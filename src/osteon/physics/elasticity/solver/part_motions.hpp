#pragma once
/// @file
/// The rigid motions that joints and supports leave the parts of a solid, analysed jointly.
#include <optional>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/elasticity/solver/rigid_bodies.hpp>
#include <osteon/physics/elasticity/solver/solid_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// The coordinates of rigid motions, as bits: translations along z, y, x, then rotations about them.
using motion_mask = std::uint8_t;

/// A pin that may be needed: the displacement of a node of a part along an axis.
struct pin_candidate {
  std::int32_t part;
  held_node where;
};

/// The motions of the parts of a solid. Rank 0 analyses them.
class part_motions {
 public:
  /// @param fixed prescribed displacements of this rank's nodes @param holds_largest whether the largest part counts as held
  /// @collective on parts.comm()
  /// @cost gathers at most six supports of each part, and three nodes of each pair of parts that meet, per rank
  part_motions(const solid_parts& parts, std::span<const prescribed_displacement> fixed, bool holds_largest = false);

  /// Per part, the coordinates in which it can move; 0: it is held. @collective
  std::vector<motion_mask> free_motions();

  /// Per part, a number that parts with the same motion share; 0: it is held. @collective rank 0
  std::vector<std::int32_t> bodies();

  /// Add those pins that restrict a motion that supports and earlier pins permit; see rigid_bodies::pin.
  /// @param candidates the same on all ranks @return per candidate whether it is a pin @collective
  std::vector<std::uint8_t> add_pins(std::span<const pin_candidate> candidates);

 private:
  MPI_Comm comm_;
  std::size_t count_;
  std::optional<rigid_bodies> bodies_;  // rank 0
};

/// Supports of parts, for find_spanning_parts. The same on all ranks.
struct part_plates {
  std::vector<int> touched;  ///< per part, a bit for each plate or support that counts as one place
  std::vector<int> ignored;  ///< per part, not 0 if it is no load path
};

/// The parts that can move, and of which no single place separates from all that is held: a strut that turns about the line
/// between two nodes bears load along it. A place is a node at which parts meet, a row of such nodes, or a plate. What hangs
/// on one place bears nothing.
/// @param joint the motions of the parts @return per part @collective on parts.comm()
std::vector<std::uint8_t> find_spanning_parts(const solid_parts& parts, part_motions& joint, const part_plates& plates);

}  // namespace osteon::physics
