#pragma once
/// @file
/// The plans of a job on so many ranks, or of so large an image, that virtual ranks would take too long: of a coarser image,
/// and of fewer ranks, scaled.
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Voxels that plans are made of, and what these stand for.
struct plan_image {
  voxel::model_header header;
  std::vector<material_number> image;  ///< shape header.shape
  double area_factor = 1;              ///< bytes of a face of the job's own image over those of this
  double volume_factor = 1;            ///< voxels of the one over those of the other
  thinned_image stands_for{};
  std::vector<std::string> assumed;  ///< in sentences
};

/// How far plans are made exactly.
struct plan_limits {
  std::int64_t most_voxels = std::int64_t{1} << 21;
  int most_ranks = 256;
};

/// How an image becomes smaller.
enum class thinning {
  every_kth,  ///< voxel along each axis
  /// Cubes of 2, 4, 8, ... voxels, solid where one of them is: the bricks of a level of the solver, which counts the
  /// messages of the levels between (physics_entry::counts_missing_levels).
  to_a_level
};

/// The model itself, or a smaller one, so that it has at most so many voxels.
plan_image image_for_plans(const voxel::model_header& header, std::vector<material_number> image, const plan_limits& limits,
                           thinning how = thinning::every_kth);

/// A made-up solid of that shape and share: a gyroid, of one material. For images of which only a header is known.
plan_image made_up_image(index3 shape, double solid_share, const plan_limits& limits, thinning how = thinning::every_kth);

/// Of the job's physics.
thinning thinning_of(const spec& job);

/// The plans on so many ranks. Beyond `most_ranks` a rank's messages are those of the ranks that were planned, as many, to
/// the blocks around its own in a grid of blocks, with bytes by the area of faces; reductions and what goes to and from rank
/// 0 are as they will be.
/// @throws as plans_of_voxels @collective local, with MPI as there
job_plans plans_at_scale(const spec& job, const plan_image& of, int ranks, const plan_limits& limits);

/// Blocks along (z, y, x) of which each is as near a cube as can be. @pre ranks > 0
index3 grid_of_blocks(index3 shape, int ranks);

/// Messages of every block to those around it: faces first, then edges, then corners, `peers` of them at most for a block
/// inside. Faces have 0.9 of a rank's bytes if there are others.
plan::plan blocks_around(const std::string& name, index3 blocks, double peers, double bytes_of_rank);

}  // namespace osteon::job
