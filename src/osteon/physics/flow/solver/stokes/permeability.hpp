#pragma once
/// @file
/// Permeability of a voxel sample: steady Stokes flow of one fluid through the voxels of the selected labels.
///
/// Use in a job:
/// 1. `fluid_cells` determines the runs of the fluid from the block's active voxels and their labels; label 0 is empty
/// space, so that the fluid may be a pore space without material.
/// 2. `check_permeability` validates the problem as `solve_permeability` does, without solving.
/// 3. `solve_permeability` solves one direction after another. Fields are per cell of `flow_problem::cells`, in their order
///    (z, y, x, like temperatures per active cell): velocity of shape (cells, 3), components (z, y, x), at the centre of
///    the voxel, and pressure. Voxels in fluid parts without flow have velocity 0 and pressure 0.
/// 4. All other members of `flow_solution` are equal on all ranks.
///
/// Lengths are mm; a permeability in mm2 is 1e-6 m2, and 1 darcy is 9.869233e-7 mm2. Viscosity is Pa s, pressure Pa,
/// velocity mm/s, so that velocity = permeability / viscosity * drop / length in these numbers.
#include <array>
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/physics/flow/solver/stokes/carried_velocities.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// Stopping criterion of a direction: all requested tolerances are met.
struct flow_options {
  /// Largest relative distance between any two of these values: permeability, its two bounds, permeability from flux and
  /// from dissipation.
  double permeability_tolerance = 1e-4;
  double residual_tolerance = 1;  ///< limit of |r| / |r0|, momentum and mass together, true residual; 1: not requested
  int max_iterations = 500;       ///< for each direction
  bool fields = true;             ///< whether to compute velocities and pressures
  std::function<void()> poll{};   ///< called between iterations, may throw on all ranks to end the solve; may be empty
  bool counts_messages = false;   ///< one iteration, and all other messages of a solve: for message counts on virtual ranks
  velocity_projector carry{};     ///< computes the velocities on the voxels' faces; empty: not requested
};

/// The solution for one direction.
struct flow_direction {
  axis along = axis::z;
  /// Whether the fluid percolates. If not, all members below are zero, and no system was solved.
  bool percolates = false;
  double permeability_mm2 = 0;  ///< error: the square of the error of the fields
  /// Bounds from the residual, with the preconditioner instead of the exact inverse and a factor for the quality of the
  /// preconditioner.
  double low_mm2 = 0, high_mm2 = 0;
  double from_flux_mm2 = 0;            ///< from the mean velocity; same error as the fields
  double from_dissipation_mm2 = 0;     ///< dissipated power; equals the flux form for the exact solution
  std::array<double, 3> column_mm2{};  ///< mean velocity (z, y, x) divided by the gradient: a column of the tensor
  /// mean over the flowing fluid, and largest value of a component; [mm/s]
  double mean_velocity_mm_per_s = 0, highest_velocity_mm_per_s = 0;
  /// density * mean velocity in the flowing pores * hydraulic diameter (4 volume / wetted surface) / viscosity. Stokes flow
  /// holds well below 1.
  double reynolds_number = 0;
  solve_certificate certificate;  ///< unknowns are velocities and pressures; energy_identity_error: flux against dissipation
  std::vector<float> velocity_mm_per_s;  ///< shape (cells, 3), components (z, y, x)
  /// If requested: shape (cells, 6), along z, y, x through the low and the high face of each cell.
  std::vector<double> face_velocity_mm_per_s;
  double faces_change = 0;         ///< see carried_velocities
  std::vector<float> pressure_Pa;  ///< per cell; periodic box: without the uniform gradient, else from the drop to zero
};

struct flow_solution {
  std::vector<flow_direction> directions;  ///< in the order of flow_problem::directions
  /// By (row, column) = (component of the velocity, direction of the gradient), symmetric; zero for directions that were not
  /// requested. Off-diagonal entries are computed from mixed dissipation and are as accurate as diagonal entries.
  std::array<std::array<double, 3>, 3> tensor_mm2{};
  double asymmetry = 0;                   ///< largest |k_ij - k_ji| of the mean velocities over the largest entry
  std::array<double, 3> principal_mm2{};  ///< descending; of a tensor of three directions
  std::array<std::array<double, 3>, 3> principal_direction{};  ///< unit vectors (z, y, x)
  flow_counts counts;
  double hydraulic_diameter_mm = 0;  ///< 4 volume / wetted surface of the flowing fluid
  double setup_seconds = 0;          ///< wall time
};

/// Check the problem as `solve_permeability`, without solving. @throws as solve_permeability @collective on
/// problem.where.comm
void check_permeability(const flow_problem& problem, const flow_options& options);

/// Solve steady Stokes flow in each direction.
///
/// Staggered grid on the flowing voxels: pressure at their centres, velocity components on their faces. The coupled system
/// is solved by conjugate gradients with multigrid for each component and for a pressure whose conductivity is the mobility
/// of the pores (flow_solver.hpp). Fluid parts that percolate in no direction are stagnant and not solved. A direction
/// without a percolating part has permeability 0, reported in the log. A missed tolerance is not an error:
/// certificate.converged is then false.
/// @throws usage_error for an inconsistent problem @throws data_error without fluid, or if the fluid touches no wall,
///   so that there is no resistance
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
flow_solution solve_permeability(const flow_problem& problem, const flow_options& options, log_sink& log);

}  // namespace osteon::physics
