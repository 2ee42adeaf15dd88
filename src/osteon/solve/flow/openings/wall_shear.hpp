#pragma once
/// @file
/// What friction the fluid exerts on the walls beside a voxel.
#include <osteon/solve/flow/open_flow_cells.hpp>
#include <vector>

namespace osteon::solve {

struct wall_shear {
  std::vector<float> of_cell;  ///< owned cells of the solver: mean over the cell's walls; 0 without one
  std::vector<bool> has_wall;  ///< owned cells
  double mean = 0;             ///< over the area of all walls, all ranks
};

/// Twice the velocity along a wall, at the centre of the voxel beside it and relative to the wall, over the voxel's edge
/// across: the friction that the equations have there, so that its sum over the walls is that of the balance of momentum.
/// @param velocity at the centres of owned cells, in any unit @param slide_unit that unit [mm/s]
/// @param multiple of the velocities of sliding walls
/// @returns in that unit per mm @collective on problem.where.comm
wall_shear find_wall_shear(const through_problem& problem, const open_flow_cells& open,
                           const std::vector<std::array<double, 4>>& velocity, double slide_unit, double multiple);

}  // namespace osteon::solve
