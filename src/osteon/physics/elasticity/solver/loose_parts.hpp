#pragma once
/// @file
/// Insufficiently supported parts of the solid.
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// The faults of the parts of a solid. All numbers are the same on all ranks.
struct loose_parts {
  std::vector<std::uint8_t> is_loose;  ///< per active cell of this rank
  std::int64_t parts = 0;              ///< face-connected parts of the solid
  std::int64_t loose = 0;              ///< parts that can move
  std::int64_t hanging = 0;            ///< loose parts in contact with another part, at nodes or edges that cannot hold them
  std::int64_t voxels = 0;             ///< voxels of the loose parts
  std::int64_t largest_voxels = 0;     ///< voxels of the largest loose part
  vector3 largest_low_mm, largest_high_mm;  ///< its bounding box, from the image's low corner
};

/// Find the face-connected parts that can move although displacements are prescribed. The rigid motions of all parts are
/// analysed jointly: parts that share three non-collinear nodes have the same motion, a common edge is a hinge, and rings of
/// parts joined by edges or nodes may be rigid together. A part is loose if it moves in any of the remaining motions. In
/// periodic problems, parts are also connected through the periodic faces, and the largest part counts as held: periodic
/// faces prevent its rotation, and the position of the whole is arbitrary.
/// @collective on problem.where.comm
/// @cost as solid_parts and, if there are several parts, part_motions
loose_parts find_loose_parts(const elasticity_problem& problem);

}  // namespace osteon::physics
