#pragma once
/// @file
/// Buoyancy of warm fluid (Boussinesq approximation). Buoyancy is the force of a temperature on the velocities of a flow.
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/through_parts.hpp>

namespace osteon::physics {

/// Relative decrease of the density per kelvin. The variable density affects only the weight of the fluid.
struct buoyancy {
  double expansion_per_K = 0;  ///< a negative value means that warm fluid sinks, for example water below 4 C
  vector3 gravity_m_per_s2{};  ///< direction of gravity
  /// temperature at which the fluid has its given density; pressures are relative to the hydrostatic pressure at this
  /// temperature
  double reference_K = 0;
};

/// Entries of the buoyancy in the right-hand side. The entry of each face with an unknown velocity is -density expansion (T
/// - T0) gravity. T is the mean temperature of the two voxels at the face. At a given pressure, half control volumes have
/// half of the force.
/// @param temperature_K temperature of each fluid voxel, in the order of problem.cells
/// @collective on problem.where.comm
flow_entries buoyancy_force(const through_problem& problem, const open_flow_cells& open, const buoyancy& weight,
                            const std::vector<double>& temperature_K, const flow_units& units);

}  // namespace osteon::physics
