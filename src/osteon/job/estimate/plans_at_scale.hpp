#pragma once
/// @file
/// Plans of a job for rank counts or images that are too large for virtual ranks. The plans are computed for a coarser image
/// and fewer ranks, and then scaled.
#include <osteon/job/estimate/levels_at_scale.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Voxels from which plans are made, and their scale relative to the image of the job.
struct plan_image {
  voxel::model_header header;
  std::vector<material_number> image;  ///< shape header.shape
  double area_factor = 1;              ///< bytes of a face of the job's image, relative to this image
  double volume_factor = 1;            ///< voxels of the job's image, relative to this image
  thinned_image stands_for{};
  std::vector<std::string> assumed;  ///< assumptions, as sentences

  /// Levels of the elasticity solver for the image of the job. The list of nodes is empty if the numbers are unknown.
  level_sizes levels() const;
};

/// Limits up to which plans are computed exactly.
struct plan_limits {
  std::int64_t most_voxels = std::int64_t{1} << 21;
  int most_ranks = 256;
  bool counts_levels = true;  ///< false: the levels of the solver are estimated, which does not require MPI
};

/// Methods of coarsening an image.
enum class thinning {
  every_kth,  ///< use every k-th voxel along each axis
  /// Replace cubes with edges of 2, 4, 8, ... voxels by one voxel. The new voxel is solid if one voxel of the cube is solid.
  /// The cubes are the bricks of a level of the solver, and the solver also counts the messages of the intermediate levels
  /// (physics_entry::counts_missing_levels).
  to_a_level
};

/// Return the model, coarsened if needed to the largest permitted number of voxels. For `to_a_level`, the levels of the
/// solver are counted in the image before it is coarsened; for large images the levels are estimated.
plan_image image_for_plans(const voxel::model_header& header, std::vector<material_number> image, const plan_limits& limits,
                           thinning how = thinning::every_kth);

/// Return a gyroid of one material with the given shape and solid share. The gyroid replaces an image of which only the
/// header is known.
plan_image made_up_image(index3 shape, double solid_share, const plan_limits& limits, thinning how = thinning::every_kth);

/// Coarsening method of the physics of a job.
thinning thinning_of(const spec& job);

/// Return the plans for a number of ranks. Beyond `most_ranks` ranks, each rank sends as many messages as a planned rank.
/// The receivers are the surrounding blocks in a grid of blocks. The bytes of a message are proportional to the face area of
/// a block. Reductions and messages to and from rank 0 are exact.
/// @throws as plans_of_voxels @collective local, with MPI as for plans_of_voxels
job_plans plans_at_scale(const spec& job, const plan_image& of, int ranks, const plan_limits& limits);

/// Return the grid of blocks along (z, y, x) with nearly cubic blocks. @pre ranks > 0
index3 grid_of_blocks(index3 shape, int ranks);

/// Messages between each block and its neighbours: faces first, then edges, then corners, at most `peers` for an inner
/// block. If blocks have neighbours at edges or corners, messages through faces contain 0.9 of the bytes of a rank.
plan::plan blocks_around(const std::string& name, index3 blocks, double peers, double bytes_of_rank);

}  // namespace osteon::job
