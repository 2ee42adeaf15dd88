#pragma once
/// @file
/// A sample and its mirror image, for what a flow carries through a sample that is mirrored at its faces.
#include <osteon/physics/flow/solver/dispersion/dispersion.hpp>

namespace osteon::physics {

/// The sample and, behind the high face of the flow's axis, its mirror image. Both together repeat along that axis: the flow
/// passes the planes between them at right angles, and goes through the image as through the sample, from its end to its
/// beginning.
struct mirrored_sample {
  grid::block where;                           ///< of the box of both: along the axis each rank has twice the voxels
  voxel::run_set cells;                        ///< of where.owned
  std::vector<double> face_velocity_mm_per_s;  ///< as in flow_direction
};

/// @param keep per run of problem.cells: whether it flows @collective on problem.where.comm
mirrored_sample mirror_along_flow(const dispersion_problem& problem, const std::vector<bool>& keep);

}  // namespace osteon::physics
