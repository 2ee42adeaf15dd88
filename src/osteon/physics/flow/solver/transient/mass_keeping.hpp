#pragma once
/// @file
/// Face velocities that conserve mass in each voxel.
#include <osteon/physics/flow/solver/stokes/carried_velocities.hpp>

namespace osteon::physics {

/// A velocity_projector that removes the divergence of a flow. The tolerance of the flow solver causes this divergence.
///
/// A solution of the flow solver conserves mass only with an error of the tolerance of the solver. The convection of a
/// temperature is sum F (T_face - T_own). With divergent velocities, each voxel would lose heat in proportion to the
/// divergence. The nearest velocities that conserve mass to rounding are u - M^-1 G d, with G^T M^-1 G d = G^T u. Given
/// velocities of openings do not change. The flow through other openings changes (pressure_projection.hpp).
/// @throws solve_error if a value is not finite @collective on the communicator of the cells
carried_velocities keep_mass(const open_flow_cells& open, const std::vector<double>& x, const std::function<void()>& poll,
                             log_sink& log);

/// A velocity_projector that executes the communication of keep_mass once on virtual ranks, and changes no values.
/// @collective
carried_velocities count_mass_keeping(const open_flow_cells& open, const std::vector<double>& x,
                                      const std::function<void()>& poll, log_sink& log);

}  // namespace osteon::physics
