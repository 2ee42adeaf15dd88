#pragma once
/// @file
/// The rigid motions of the parts of a solid permitted by joints and supports, analysed jointly.
#include <optional>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/elasticity/solver/rigid_bodies.hpp>
#include <osteon/physics/elasticity/solver/solid_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// The coordinates of rigid motions, as bits: translations along z, y, x, then rotations about them.
using motion_mask = std::uint8_t;

/// A candidate pin: the displacement of a node of a part along an axis.
struct pin_candidate {
  std::int32_t part;
  held_node where;
};

/// The motions of the parts of a solid, analysed on rank 0.
class part_motions {
 public:
  /// @param fixed prescribed displacements of this rank's nodes @param holds_largest whether the largest part counts as held
  /// @collective on parts.comm()
  /// @cost gathers at most six supports of each part, and three nodes of each pair of parts that meet, per rank
  part_motions(const solid_parts& parts, std::span<const prescribed_displacement> fixed, bool holds_largest = false);

  /// Per part, the coordinates in which it can move; 0: held. @collective
  std::vector<motion_mask> free_motions();

  /// Per part, a number shared by parts with the same motion; 0: held. @collective rank 0
  std::vector<std::int32_t> bodies();

  /// Add those pins that restrict a motion permitted by supports and earlier pins; see rigid_bodies::pin.
  /// @param candidates the same on all ranks @return per candidate whether it is a pin @collective
  std::vector<std::uint8_t> add_pins(std::span<const pin_candidate> candidates);

 private:
  MPI_Comm comm_;
  std::size_t count_;
  std::optional<rigid_bodies> bodies_;  // rank 0
};

/// Supports of parts, for find_spanning_parts. Equal on all ranks.
struct part_plates {
  std::vector<int> touched;  ///< per part, one bit for each plate or support that counts as one place
  std::vector<int> ignored;  ///< per part, nonzero if it is not a load path
};

/// The parts that can move and that no single place separates from all held parts: a strut that rotates about the line
/// between two nodes bears load along it. A place is a node at which parts meet, a row of such nodes, or a plate. A part
/// attached at one place only bears no load.
/// @param joint the motions of the parts @return per part @collective on parts.comm()
std::vector<std::uint8_t> find_spanning_parts(const solid_parts& parts, part_motions& joint, const part_plates& plates);

}  // namespace osteon::physics
