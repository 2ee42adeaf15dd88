#pragma once
/// @file
/// Wall shear stress of the fluid voxels next to walls.
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <vector>

namespace osteon::physics {

struct wall_shear {
  std::vector<float> of_cell;     ///< owned cells of the solver: mean over the walls of the cell; 0 without a wall
  std::vector<float> wetted_mm2;  ///< owned cells: area of the smooth surface of the walls; 0 without a wall
  double mean = 0;                ///< over the area of all walls, all ranks
};

/// For each owned cell of the solver: bit d is set if side d is a no-slip wall (a solid voxel, or a face of the image).
/// Cells behind an opening have the value wall_surface::ends_here.
/// @collective local
std::vector<std::uint8_t> wall_sides(const through_problem& problem, const open_flow_cells& open);

/// Compute the tangential wall force divided by the area of the smooth surface that the walls represent.
///
/// The friction in the equations is 2 v / h. v is the tangential velocity at the centre of the adjacent voxel relative to
/// the wall, and h is the voxel edge normal to the wall. The sum of this friction and of the pressure on stairs over the
/// walls satisfies the momentum balance. The friction on a single stair depends on the position of the stair. Next to
/// stairs the stress is therefore the force on several faces divided by the area of these faces of the surface
/// (wall_surface::smooth). On flat walls the stress is the friction on each face.
/// @param velocity at the centres of owned cells in any unit, and pressure in the velocity unit times viscosity over
/// cells.unit_mm
/// @param slide_unit unit of the velocity [mm/s] @param multiple of the velocities of sliding walls
/// @returns wall shear in the velocity unit per mm @collective on problem.where.comm
wall_shear find_wall_shear(const through_problem& problem, const open_flow_cells& open,
                           const std::vector<std::array<double, 4>>& velocity, double slide_unit, double multiple);

}  // namespace osteon::physics
