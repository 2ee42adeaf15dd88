#pragma once
/// @file
/// Face velocities that keep mass in each voxel.
#include <osteon/physics/flow/solver/stokes/carried_velocities.hpp>

namespace osteon::physics {

/// Takes the gradient off a flow that its solver's tolerance has left in it: a velocity_projector.
///
/// An answer of the flow solver keeps mass as well as its tolerance says. A temperature that it carries with sum F (T_face -
/// T_own) would lose F T of what is left of the divergence, in each voxel. The velocities that are nearest to the answer and
/// keep mass to rounding are those less M^-1 G d, with G^T M^-1 G d = G^T u; what openings are given stays, what passes the
/// others follows (pressure_projection.hpp).
/// @throws solve_error if a value is not finite @collective on the communicator of the cells
carried_velocities keep_mass(const open_flow_cells& open, const std::vector<double>& x, const std::function<void()>& poll,
                             log_sink& log);

/// Sends what keep_mass may send, once each part, on virtual ranks: a velocity_projector that changes nothing. @collective
carried_velocities rehearse_mass_keeping(const open_flow_cells& open, const std::vector<double>& x,
                                         const std::function<void()>& poll, log_sink& log);

}  // namespace osteon::physics
