#pragma once
/// @file
/// Face velocities that conserve mass in each voxel.
#include <osteon/physics/flow/solver/stokes/carried_velocities.hpp>

namespace osteon::physics {

/// Removes from a flow the gradient left by the tolerance of its solver: a velocity_projector.
///
/// A solution of the flow solver conserves mass to its tolerance. A temperature advected with sum F (T_face - T_own) would
/// lose F T of the remaining divergence in each voxel. The nearest velocities that conserve mass to rounding are the
/// solution less M^-1 G d, with G^T M^-1 G d = G^T u; given velocities of openings are unchanged, the flow through other
/// openings adapts (pressure_projection.hpp).
/// @throws solve_error if a value is not finite @collective on the communicator of the cells
carried_velocities keep_mass(const open_flow_cells& open, const std::vector<double>& x, const std::function<void()>& poll,
                             log_sink& log);

/// Performs the communication of keep_mass once, on virtual ranks: a velocity_projector that changes no values. @collective
carried_velocities count_mass_keeping(const open_flow_cells& open, const std::vector<double>& x,
                                      const std::function<void()>& poll, log_sink& log);

}  // namespace osteon::physics
