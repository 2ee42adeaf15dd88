#pragma once
/// @file
/// Parts of the solid that nothing holds.
#include <osteon/solve/elasticity/elasticity.hpp>

namespace osteon::solve {

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

/// Find the face-connected parts that can move although displacements are prescribed. A part is held if prescribed
/// displacements and nodes that it shares with held parts leave it no rigid motion: three nodes that are not in a row do, a
/// common edge is a hinge. Parts that hold only each other count as loose. Where the problem is periodic, parts are
/// connected through those faces, too, and the largest one counts as held: periodic faces keep it from turning, and where
/// the whole lies does not matter.
/// @collective on problem.where.comm
/// @cost 9 exchanges of a number per shared node; if there are several parts, for each link of the longest chain of parts
/// that hold each other one allreduce of 21 numbers a part
loose_parts find_loose_parts(const elasticity_problem& problem);

}  // namespace osteon::solve
