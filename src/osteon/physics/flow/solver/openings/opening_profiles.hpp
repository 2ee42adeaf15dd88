#pragma once
/// @file
/// Inflow profiles: inflow through each voxel of the openings with a given velocity.
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/flow/solver/stokes/solid_faces.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <tuple>

namespace osteon::physics {

/// Face of a fluid voxel with a condition. The face is on a side of the image, or borders a voxel with a condition inside
/// the image.
struct opening_face {
  std::int32_t layer = 0;              ///< layer of the fluid voxel, along the normal axis of the face
  std::int32_t first = 0, second = 0;  ///< position in the face, along the first and the second of axes_across
  std::int32_t part = 0;               ///< part of the fluid
  std::int16_t boundary = -1;
  std::int16_t side = 0;
  double velocity_mm_per_s = 0;  ///< into the image, if given

  friend bool operator<(const opening_face& a, const opening_face& b) {
    return std::tie(a.side, a.layer, a.first, a.second) < std::tie(b.side, b.layer, b.first, b.second);
  }
};

/// Construct without a velocity. @param voxel fluid voxel in the image @param side side of the voxel
opening_face opening_face_at(index3 voxel, int side);

/// Return faces of all ranks with their velocities, ascending and equal on all ranks. The list contains faces on sides
/// with a given velocity, and faces inside the image with any condition. Only faces of flowing parts have a velocity. A
/// flow rate is distributed over the faces of flowing parts. A uniform velocity is equal for all faces of an opening, for
/// any orientation of the faces.
///
/// A parabolic profile is the product of two parabolas along the sides of the rectangle around the opening's voxels. The
/// product is zero on the edges of the rectangle and is evaluated at the voxel centres. A developed profile is the flow in
/// a straight channel with the cross-section of the opening under a uniform pressure gradient. Walls of the channel are
/// treated as in the solver.
/// @param inner faces inside the image, of problem.cells
/// @throws usage_error for a profile on a non-planar opening inside the image
/// @collective on problem.where.comm @cost every rank stores the faces of these sides
std::vector<opening_face> find_opening_velocities(const through_problem& problem, const numbered_parts& parts,
                                                  const std::vector<bool>& flows, const std::vector<solid_face>& inner);

}  // namespace osteon::physics
