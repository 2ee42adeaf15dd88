#pragma once
/// @file
/// Heat conduction on voxels: one temperature per active voxel, two-point fluxes, void that conducts nothing.
#include <array>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/operators/heat_problem.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/heat/solver/percolation.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// Fixed temperatures on the two faces of an axis, everything else insulated.
std::array<std::array<face_condition, 2>, 3> two_temperatures(axis along, double low_K, double high_K);

/// Heat that enters the solid through each outer face [W], by axis (z, y, x); low, high.
using face_flows = std::array<std::array<double, 2>, 3>;

struct heat_solution {
  std::vector<double> temperature_K;  ///< per active cell
  /// Corrected by the residual: if only two faces exchange heat, inflow = -outflow to rounding.
  face_flows inflow_W{};
  double source_W = 0;                       ///< heat made by sources
  std::array<face_match, 3> periodic_faces;  ///< how the faces of periodic axes fit onto each other
  solve_certificate certificate;
};

/// Check the problem as `solve_heat` does, without solving.
/// @throws as solve_heat @collective on problem.where.comm
void check_heat(const heat_problem& problem);

/// Solve the steady problem, whose arrays are given up on the way, by multigrid-preconditioned conjugate gradients.
/// Stops when |r| <= tolerance |r0| and the last step changed the dissipated power by less than a thousandth of the
/// tolerance. Not reaching that is no error: then certificate.converged is false.
/// @throws usage_error, data_error for a problem that is not consistent, or a material without conductivity
/// @throws data_error if no heat can flow, or a part of the solid is heated but has no way to lose heat
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
heat_solution solve_heat(heat_problem problem, const options& how, log_sink& log);

/// Magnitude of the heat flux density in each active cell [W/mm2], mean of the fluxes through opposite faces.
/// An insulated face counts with no flux.
/// @param temperature_K per active cell @throws usage_error if there is not one temperature per active cell
/// @collective on problem.where.comm
std::vector<float> heat_flux_density(const heat_problem& problem, std::vector<double> temperature_K);
/// The same as vectors, shape (cells, 3), components (z, y, x).
std::vector<float> heat_flux_vectors(const heat_problem& problem, std::vector<double> temperature_K);

/// Solve in one iteration, with the flux density, on virtual ranks (comm/virtual_ranks.hpp), which count what they send.
/// Parts are: set-up, load, an iteration, a restart, the rest of the load.
/// @throws as solve_heat @collective on problem.where.comm
void count_messages(const heat_problem& problem, bool shows_vectors, const message_count& count);

}  // namespace osteon::physics
