#pragma once
/// @file
/// The faces between fluid and solid voxels that are told apart: by a label, or by a condition inside the image.
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <vector>

namespace osteon::physics {

/// A face of an owned fluid voxel towards a solid one that has a label.
struct solid_face {
  std::int32_t cell = 0;       ///< of the fluid, as the run_set numbers it
  index3 voxel;                ///< the same in the image
  std::uint8_t side = 0;       ///< of the fluid voxel: 2 axis + (1 on the high face)
  std::int16_t boundary = -1;  ///< condition of the face; -1: a wall without slip
  material_number label = 0;   ///< of the solid voxel, as in labelled_solid
};

struct solid_faces {
  std::vector<solid_face> faces;  ///< by cell and side
  /// Owned solid voxels with a face of the fluid, be it another rank's, through which something passes: places in the block,
  /// in the order z, y, x.
  std::vector<index3> behind;
  /// Two conditions that claim one face; -1: there are none. Of this rank.
  std::array<int, 2> both{-1, -1};
};

/// The condition of the surface of a solid voxel inside the image: index of the boundary, -1 for none.
/// @param voxel the solid one, in the image @param side of the fluid voxel beside it @param second another one that claims
/// it as well, or -1
int inner_boundary_at(const through_problem& problem, index3 voxel, material_number label, int side, int* second = nullptr);

/// @param fluid voxels of the block, all or those that flow @cost the labelled voxels, and one ghost layer of both
/// @collective on problem.where.comm
solid_faces find_solid_faces(const through_problem& problem, const voxel::run_set& fluid);

}  // namespace osteon::physics
