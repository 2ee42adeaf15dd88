#pragma once
/// @file
/// Profiles of inflow. A profile is the inflow through each voxel of the openings with a given velocity.
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/flow/solver/stokes/solid_faces.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <tuple>

namespace osteon::physics {

/// Face of a fluid voxel with a condition. The face is on a side of the image, or borders a solid voxel with a condition
/// inside the image.
struct opening_face {
  std::int32_t layer = 0;              ///< layer of the fluid voxel along the axis normal to the face
  std::int32_t first = 0, second = 0;  ///< position in the face along the two axes of axes_across
  std::int32_t part = 0;               ///< number of the part of the fluid
  std::int16_t boundary = -1;
  std::int16_t side = 0;
  double velocity_mm_per_s = 0;  ///< velocity into the image, if given

  friend bool operator<(const opening_face& a, const opening_face& b) {
    return std::tie(a.side, a.layer, a.first, a.second) < std::tie(b.side, b.layer, b.first, b.second);
  }
};

/// Construct a face without a velocity. @param voxel fluid voxel in the image @param side side of the voxel
opening_face opening_face_at(index3 voxel, int side);

/// Return faces of all ranks with their velocities. The list is ascending, and equal on all ranks. The list contains faces
/// on sides with a given velocity, and faces inside the image with any condition. Only faces of flowing parts have a
/// velocity. A flow rate is distributed over the faces of flowing parts. A uniform velocity is equal for all faces of an
/// opening. The orientation of the faces has no effect.
///
/// A parabolic profile is a product of two parabolas along the sides of a rectangle. The rectangle contains the voxels of
/// the opening. On the edges of the rectangle, the product is zero. The product is evaluated at the voxel centres. A
/// developed profile is the flow in a straight channel under a uniform pressure gradient. The channel has the cross-section
/// of the opening. Walls of the channel are treated as in the solver.
/// @param inner faces of problem.cells inside the image
/// @throws usage_error if an opening inside the image has a profile and is not planar
/// @collective on problem.where.comm @cost every rank stores the faces on these sides
std::vector<opening_face> find_opening_velocities(const through_problem& problem, const numbered_parts& parts,
                                                  const std::vector<bool>& flows, const std::vector<solid_face>& inner);

}  // namespace osteon::physics
