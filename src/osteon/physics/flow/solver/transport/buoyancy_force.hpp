#pragma once
/// @file
/// Buoyancy of warm fluid (Boussinesq): the force of a temperature on the velocities of a flow.
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// Relative decrease of the density per kelvin. Only the weight of the fluid uses the variable density.
struct buoyancy {
  double expansion_per_K = 0;  ///< negative: warm fluid sinks, for example water below 4 C
  vector3 gravity_m_per_s2{};  ///< direction of gravity
  double reference_K =
      0;  ///< temperature of the given density; pressures are relative to the hydrostatic pressure at this temperature
};

/// Entries of the buoyancy in the right-hand side: -density expansion (T - T0) gravity on each face of an unknown velocity.
/// T is the mean temperature of the two voxels of the face. Half control volumes at a given pressure have half the force.
/// @param temperature_K of each fluid voxel of the problem, in the order of problem.cells
/// @collective on problem.where.comm
flow_entries buoyancy_force(const through_problem& problem, const open_flow_cells& open, const buoyancy& weight,
                            const std::vector<double>& temperature_K, const flow_units& units);

}  // namespace osteon::physics
