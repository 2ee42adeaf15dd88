#pragma once
/// @file
/// Plans of a job for numbers of ranks or images that are too large for virtual ranks. The plans are computed for a coarser
/// image and for fewer ranks. The plans are then scaled.
#include <osteon/job/estimate/levels_at_scale.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Voxels for which plans are computed, and the scale of these voxels relative to the image of the job.
struct plan_image {
  voxel::model_header header;
  std::vector<material_number> image;  ///< material numbers with shape header.shape
  double area_factor = 1;              ///< bytes of a face of the job's image divided by bytes of a face of this image
  double volume_factor = 1;            ///< number of voxels of the job's image divided by number of voxels of this image
  thinned_image stands_for{};
  std::vector<std::string> assumed;  ///< assumptions as sentences

  /// Levels of the elasticity solver for the image of the job. If the numbers are unknown, the list of nodes is empty.
  level_sizes levels() const;
};

/// Limits up to which plans are computed exactly.
struct plan_limits {
  std::int64_t most_voxels = std::int64_t{1} << 21;
  int most_ranks = 256;
  bool counts_levels = true;  ///< false: the levels of the solver are estimated; the estimate does not require MPI
};

/// Methods to coarsen an image.
enum class thinning {
  every_kth,  ///< every k-th voxel along each axis
  /// Replace cubes of voxels by one voxel each. The edge of a cube is 2, 4, 8, ... voxels. The new voxel is solid if at
  /// least one voxel of the cube is solid. The cubes are the bricks of a level of the solver. The solver also counts the
  /// messages of the intermediate levels (physics_entry::counts_missing_levels).
  to_a_level
};

/// Return the model. If the model has more voxels than permitted, the function coarsens the model. For `to_a_level`, the
/// levels of the solver are counted in the image before coarsening. For large images, the levels are estimated.
plan_image image_for_plans(const voxel::model_header& header, std::vector<material_number> image, const plan_limits& limits,
                           thinning how = thinning::every_kth);

/// Return a gyroid of one material with the given shape and the given fraction of solid voxels. The gyroid replaces an image
/// if only the header of the image is known.
plan_image made_up_image(index3 shape, double solid_share, const plan_limits& limits, thinning how = thinning::every_kth);

/// Method that coarsens the image for the physics of a job.
thinning thinning_of(const spec& job);

/// Return the plans for a number of ranks. If the number of ranks exceeds `most_ranks`, each rank sends as many messages as
/// a rank in the largest plans. The receivers of these messages are the surrounding blocks in a grid of blocks. The bytes of
/// a message are proportional to the face area of a block. Reductions and messages to and from rank 0 are exact.
/// @throws errors in the cases of plans_of_voxels @collective local, with MPI as in plans_of_voxels
job_plans plans_at_scale(const spec& job, const plan_image& of, int ranks, const plan_limits& limits);

/// Return the number of blocks along (z, y, x) of a grid with nearly cubic blocks. @pre ranks > 0
index3 grid_of_blocks(index3 shape, int ranks);

/// Messages between each block and its neighbours. Neighbours at faces are first, then neighbours at edges, then neighbours
/// at corners. An inner block has at most `peers` neighbours. If blocks have neighbours at edges or corners, messages
/// through faces contain 0.9 of the bytes of a rank.
plan::plan blocks_around(const std::string& name, index3 blocks, double peers, double bytes_of_rank);

}  // namespace osteon::job
