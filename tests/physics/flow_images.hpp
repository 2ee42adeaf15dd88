#pragma once
/// @file
/// Small images of pores and their permeabilities, for the tests of flow.
#include <osteon/physics/flow/solver/stokes/permeability.hpp>

#include "physics/heat_images.hpp"

namespace flow_images {

using namespace osteon;
using heat_images::image;
using heat_images::ranks_with_a_plane;

/// Voxels with a non-zero value are fluid.
inline physics::flow_problem make_problem(MPI_Comm comm, const image& img, std::vector<axis> directions,
                                          physics::flow_surroundings around, vector3 spacing = {1, 1, 1}) {
  std::vector<std::int64_t> active(static_cast<std::size_t>(img.shape.z));
  const std::int64_t plane = img.shape.y * img.shape.x;
  for (std::size_t i = 0; i < img.voxels.size(); ++i) active[i / static_cast<std::size_t>(plane)] += img.voxels[i] != 0;
  physics::flow_problem problem;
  problem.where = grid::make_block(comm, img.shape, active);
  problem.spacing_mm = spacing;
  problem.cells = voxel::active_cells(
      view3<const material_number>(img.voxels.data() + problem.where.owned.begin.z * plane, problem.where.owned.shape()));
  problem.surroundings = around;
  problem.directions = std::move(directions);
  return problem;
}

inline const physics::flow_options tight{1e-9, 1e-9, 300, true};

inline physics::flow_direction solve_one(MPI_Comm comm, const image& img, axis along, physics::flow_surroundings around,
                                         physics::flow_options how = tight, vector3 spacing = {1, 1, 1}) {
  const auto answer = physics::solve_permeability(make_problem(comm, img, {along}, around, spacing), how, null_log());
  EXPECT_TRUE(answer.directions[0].certificate.converged);
  return answer.directions[0];
}

}  // namespace flow_images
