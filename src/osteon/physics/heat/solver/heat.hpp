#pragma once
/// @file
/// Steady heat conduction on voxels. Each active voxel has one temperature, fluxes are two-point fluxes, and void is
/// insulating.
#include <array>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/operators/heat_problem.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/heat/solver/percolation.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Conditions with fixed temperatures on the two faces of an axis. All other faces are insulated.
std::array<std::array<face_condition, 2>, 3> two_temperatures(axis along, double low_K, double high_K);

/// Heat flow into the solid through each outer face [W], by axis (z, y, x) and by side (low, high).
using face_flows = std::array<std::array<double, 2>, 3>;

struct heat_solution {
  std::vector<double> temperature_K;  ///< temperature of each active cell
  /// If only two faces exchange heat, a correction by the residual makes inflow and outflow equal to rounding.
  face_flows inflow_W{};
  double source_W = 0;                       ///< heat that sources generate
  std::array<face_match, 3> periodic_faces;  ///< common positions of the two faces of periodic axes
  solve_certificate certificate;
};

/// Check the problem like `solve_heat`, and compute no solution.
/// @throws errors of solve_heat @collective on problem.where.comm
void check_heat(const heat_problem& problem);

/// Solve the steady problem by conjugate gradients with multigrid preconditioning. The solver frees the arrays of the
/// problem. The iteration stops when |r| <= tolerance |r0|, and when the last step has changed the dissipated power by less
/// than a thousandth of the tolerance. If the iteration does not converge, certificate.converged is false.
/// @throws usage_error, data_error if the problem is inconsistent, or if a material has no conductivity
/// @throws data_error if no heat can flow, or if a heated part of the solid has no heat sink
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm; all ranks throw the same error
heat_solution solve_heat(heat_problem problem, const options& options, log_sink& log);

/// Lowest and highest value on all ranks. Without values, the result is infinity and -infinity. @collective on comm
std::array<double, 2> extremes(MPI_Comm comm, std::span<const double> values);

/// Magnitude of the heat flux density in each active cell [W/mm2]. Each component is the mean of the fluxes through two
/// opposite faces. The flux through an insulated face is zero.
/// @param temperature_K temperature of each active cell @throws usage_error if the number of temperatures differs from the
/// number of active cells
/// @collective on problem.where.comm
std::vector<float> heat_flux_density(const heat_problem& problem, std::vector<double> temperature_K);
/// Vectors of the heat flux density with shape (cells, 3) and components (z, y, x). Parameters and errors equal those of
/// heat_flux_density.
std::vector<float> heat_flux_vectors(const heat_problem& problem, std::vector<double> temperature_K);

/// Count the messages of one iteration and of the flux density on virtual ranks (comm/virtual_ranks.hpp). The counted parts
/// are set-up, load, iteration, restart, and the rest of the load.
/// @throws errors of solve_heat @collective on problem.where.comm
void count_messages(const heat_problem& problem, bool shows_vectors, const message_count& count);

}  // namespace osteon::physics
