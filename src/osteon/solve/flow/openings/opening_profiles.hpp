#pragma once
/// @file
/// What enters by each voxel of the openings with a given velocity.
#include <osteon/solve/flow/flow_parts.hpp>
#include <osteon/solve/flow/flow_through.hpp>
#include <tuple>

namespace osteon::solve {

/// An outer face of a fluid voxel on a side of the image that has a condition.
struct opening_face {
  std::int32_t first = 0, second = 0;  ///< place in the face, along the first of axes_across and the second
  std::int32_t part = 0;               ///< of the fluid
  std::int16_t boundary = -1;
  std::int16_t side = 0;
  double velocity_mm_per_s = 0;  ///< into the image, if it is given

  friend bool operator<(const opening_face& a, const opening_face& b) {
    return std::tie(a.side, a.first, a.second) < std::tie(b.side, b.first, b.second);
  }
};

/// The faces of all ranks on sides with a given velocity, ascending, with their velocities: the same on all ranks. Only
/// faces of parts that flow have one: a rate is spread over these.
///
/// A parabolic one is the product of a parabola along each side of the rectangle around the opening's voxels, zero on its
/// edges, taken at the voxels' centres. A developed profile solves the friction across a straight channel of the opening's
/// shape under a uniform gradient, by the same rule for walls as the flow inside.
/// @collective on problem.where.comm @cost the faces of those sides on every rank
std::vector<opening_face> find_opening_velocities(const through_problem& problem, const numbered_parts& parts,
                                                  const std::vector<bool>& flows);

}  // namespace osteon::solve
