#pragma once
/// @file
/// Friction of the fluid on the walls beside a voxel.
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <vector>

namespace osteon::physics {

struct wall_shear {
  std::vector<float> of_cell;     ///< owned cells of the solver: mean over the cell's walls; 0 without one
  std::vector<float> wetted_mm2;  ///< owned cells: area of the smooth surface that the cell's walls represent; 0 without one
  double mean = 0;                ///< over the area of all walls, all ranks
};

/// By owned cell of the solver: bit d: its side d is a wall without slip, of solid voxels or of a face of the image;
/// of a cell behind an opening wall_surface::ends_here.
/// @collective local
std::vector<std::uint8_t> wall_sides(const through_problem& problem, const open_flow_cells& open);

/// Force along the walls over the area of the smooth surface that they represent.
///
/// Twice the velocity along a wall, at the centre of the voxel beside it and relative to the wall, over the voxel's edge
/// across is the friction that the equations have there; with the pressure on stairs its sum over the walls is that of the
/// balance of momentum. On a single stair it depends on the stair's place. Beside stairs the stress is therefore the force
/// over the area of some faces of the surface (wall_surface::smooth); on flat walls it is the friction on each face.
/// @param velocity at the centres of owned cells, in any unit, and the pressure, in this unit times the viscosity over
/// cells.unit_mm
/// @param slide_unit unit of the velocity [mm/s] @param multiple of the velocities of sliding walls
/// @returns in that unit per mm @collective on problem.where.comm
wall_shear find_wall_shear(const through_problem& problem, const open_flow_cells& open,
                           const std::vector<std::array<double, 4>>& velocity, double slide_unit, double multiple);

}  // namespace osteon::physics
