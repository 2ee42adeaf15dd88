#pragma once
/// @file
/// The weight of warm fluid (Boussinesq): the force of a temperature on the velocities of a flow.
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// Density falls by this share per kelvin, in the weight alone.
struct buoyancy {
  double expansion_per_K = 0;  ///< below zero: warm fluid sinks, as water below 4 C does
  vector3 gravity_m_per_s2{};  ///< the way things fall
  double reference_K = 0;      ///< where the fluid has its density; pressures are those above hydrostatic ones there
};

/// Its entries of the right-hand side, -density expansion (T - T0) gravity on each face of a velocity that is unknown, with
/// the mean of the temperatures of the face's two voxels; of the half control volume at a given pressure, half.
/// @param temperature_K of each fluid voxel of the problem, in the order of problem.cells
/// @collective on problem.where.comm
flow_entries buoyancy_force(const through_problem& problem, const open_flow_cells& open, const buoyancy& weight,
                            const std::vector<double>& temperature_K, const flow_units& units);

}  // namespace osteon::physics
