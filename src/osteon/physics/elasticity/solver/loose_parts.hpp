#pragma once
/// @file
/// Parts of the solid that nothing holds.
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// The faults of the parts of a solid. All numbers are the same on all ranks.
struct loose_parts {
  std::vector<std::uint8_t> is_loose;       ///< per active cell of this rank
  std::int64_t parts = 0;                   ///< face-connected parts of the solid
  std::int64_t loose = 0;                   ///< those that can move
  std::int64_t hanging = 0;                 ///< loose ones that touch another part, at nodes or edges that cannot hold them
  std::int64_t voxels = 0;                  ///< of the loose ones
  std::int64_t largest_voxels = 0;          ///< of the largest loose one
  vector3 largest_low_mm, largest_high_mm;  ///< smallest box around it, from the image's low corner
};

/// Find the face-connected parts that can move although displacements are prescribed. The rigid motions of all parts are
/// analysed jointly: parts that share three nodes that are not in a row move alike, a common edge is a hinge, and rings of
/// parts that are joined by edges or nodes may be rigid together. A part is loose if it moves in any of the motions that
/// remain. Where the problem is periodic, parts are connected through those faces, too, and the largest one counts as held:
/// periodic faces keep it from turning, and the position of the whole does not matter.
/// @collective on problem.where.comm
/// @cost as solid_parts and, if there are several parts, part_motions
loose_parts find_loose_parts(const elasticity_problem& problem);

}  // namespace osteon::physics
