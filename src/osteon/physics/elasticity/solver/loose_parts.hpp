#pragma once
/// @file
/// Insufficiently supported parts of the solid.
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// Loose parts of a solid. All numbers are equal on all ranks.
struct loose_parts {
  std::vector<std::uint8_t> is_loose;       ///< per active cell of this rank
  std::int64_t parts = 0;                   ///< face-connected parts of the solid
  std::int64_t loose = 0;                   ///< loose parts
  std::int64_t hanging = 0;                 ///< loose parts connected to another part by nodes or edges
  std::int64_t voxels = 0;                  ///< voxels of the loose parts
  std::int64_t largest_voxels = 0;          ///< voxels of the largest loose part
  vector3 largest_low_mm, largest_high_mm;  ///< bounding box of the largest loose part, from the image's low corner
};

/// Find the loose parts: face-connected parts for which the prescribed displacements permit a rigid motion.
///
/// The rigid motions of all parts are analysed jointly. Parts that share three non-collinear nodes have equal motions. A
/// common edge is a hinge. Rings of parts connected by edges or nodes may be rigid. In periodic problems, periodic faces
/// also connect parts. The largest part of a periodic problem counts as supported: periodic faces prevent the rotation of
/// the part, and the position of the part is arbitrary.
/// @collective on problem.where.comm
/// @cost as solid_parts and, if there are several parts, part_motions
loose_parts find_loose_parts(const elasticity_problem& problem);

}  // namespace osteon::physics
