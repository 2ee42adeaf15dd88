#pragma once
/// @file
/// Faces between the fluid and solid voxels. These solid voxels have a label, or a condition inside the image.
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <vector>

namespace osteon::physics {

/// A face of an owned fluid voxel towards a labelled solid voxel.
struct solid_face {
  std::int32_t cell = 0;       ///< number of the fluid voxel in the run_set
  index3 voxel;                ///< position of the fluid voxel in the image
  std::uint8_t side = 0;       ///< side of the fluid voxel, 2 axis + (1 on the high face)
  std::int16_t boundary = -1;  ///< condition of the face; -1: a no-slip wall
  material_number label = 0;   ///< label of the solid voxel (labelled_solid)
};

struct solid_faces {
  std::vector<solid_face> faces;  ///< faces, ordered by cell and side
  /// Owned solid voxels with an open face to the fluid. The fluid may be on another rank. Positions in the block have the
  /// order z, y, x.
  std::vector<index3> behind;
  /// Two conditions that apply to one face of this rank. If there is no such face, both values are -1.
  std::array<int, 2> both{-1, -1};
};

/// Return the condition of the surface of a solid voxel inside the image. The result is the index of the boundary, or -1 for
/// no condition.
/// @param voxel position of the solid voxel in the image @param side side of the adjacent fluid voxel @param second another
/// condition of the surface, or -1
int inner_boundary_at(const through_problem& problem, index3 voxel, material_number label, int side, int* second = nullptr);

/// @param fluid all voxels or only the flowing voxels of the block @cost the labelled voxels, and one layer of ghosts of
/// fluid and solid
/// @collective on problem.where.comm
solid_faces find_solid_faces(const through_problem& problem, const voxel::run_set& fluid);

}  // namespace osteon::physics
