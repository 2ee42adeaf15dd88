#pragma once
/// @file
/// Wall shear stress of the fluid voxels next to walls.
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <vector>

namespace osteon::physics {

struct wall_shear {
  std::vector<float> of_cell;     ///< for owned cells of the solver: mean over the walls of the cell; 0 without a wall
  std::vector<float> wetted_mm2;  ///< for owned cells: area of the smooth surface of the walls; 0 without a wall
  double mean = 0;                ///< mean over the area of all walls on all ranks
};

/// Walls of each owned cell of the solver. Bit d is set if side d is a no-slip wall, which is a solid voxel or a face of the
/// image. Cells behind an opening have the value wall_surface::ends_here.
/// @collective local
std::vector<std::uint8_t> wall_sides(const through_problem& problem, const open_flow_cells& open);

/// Compute the wall shear stress. The stress is the tangential force on a wall, divided by the area of the smooth surface
/// that the walls represent.
///
/// The friction in the equations is 2 v / h. v is the tangential velocity relative to the wall at the centre of the adjacent
/// voxel. h is the edge of the voxel normal to the wall. The sum over the walls of this friction and of the pressure on
/// stairs satisfies the momentum balance. The friction on a single stair depends on the position of the stair. Next to
/// stairs, the stress is therefore the force on several faces divided by the area that these faces have on the smooth
/// surface (wall_surface::smooth). On flat walls, the stress is the friction on each face.
/// @param velocity velocities at the centres of owned cells in any unit; the unit of the pressure is the unit of velocity
/// times viscosity over cells.unit_mm
/// @param slide_unit unit of the velocity [mm/s] @param multiple factor of the velocities of sliding walls
/// @returns wall shear in units of velocity per mm @collective on problem.where.comm
wall_shear find_wall_shear(const through_problem& problem, const open_flow_cells& open,
                           const std::vector<std::array<double, 4>>& velocity, double slide_unit, double multiple);

}  // namespace osteon::physics
