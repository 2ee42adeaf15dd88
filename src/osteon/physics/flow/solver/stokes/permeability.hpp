#pragma once
/// @file
/// Permeability of a voxel sample: steady Stokes flow of one fluid through the voxels of the selected labels.
///
/// Use in a job:
/// 1. `fluid_cells` determines the runs of the fluid from the block's active voxels and their labels; Label 0 is empty
/// space. The fluid can therefore be a pore space without material.
/// 2. `check_permeability` validates the problem as `solve_permeability` does, without a solution.
/// 3. `solve_permeability` solves one direction after another. The fields are velocity and pressure per cell of
///    `flow_problem::cells`, in the order (z, y, x) of the cells. The velocity at the centre of the voxel has the shape
///    (cells, 3) with components (z, y, x). Voxels in fluid parts without flow have velocity 0 and pressure 0.
/// 4. All other members of `flow_solution` are equal on all ranks.
///
/// Lengths are in mm. A permeability of 1 mm2 is 1e-6 m2, and 1 darcy is 9.869233e-7 mm2. Viscosity is in Pa s, pressure
/// in Pa, and velocity in mm/s. In these units, velocity = permeability / viscosity * drop / length.
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
  /// Largest relative distance between any two of five values: the permeability, the two bounds of the permeability, the
  /// permeability from flux, and the permeability from dissipation.
  double permeability_tolerance = 1e-4;
  double residual_tolerance = 1;  ///< limit of |r| / |r0| for the true residual of momentum and mass; 1: not requested
  int max_iterations = 500;       ///< for each direction
  bool fields = true;             ///< compute velocities and pressures
  std::function<void()> poll{};   ///< called between iterations; may throw on all ranks to end the solve; may be empty
  /// Perform one iteration and all other communication of a solve, to count messages on virtual ranks.
  bool counts_messages = false;
  velocity_projector carry{};  ///< computes the velocities on the voxels' faces; empty: not requested
};

/// The solution for one direction.
struct flow_direction {
  axis along = axis::z;
  /// True if the fluid percolates. Otherwise all members below are zero, and no system was solved.
  bool percolates = false;
  double permeability_mm2 = 0;  ///< the error is of the order of the squared error of the fields
  /// Bounds of the permeability from the residual. The bounds use the preconditioner instead of the exact inverse, with a
  /// factor for the quality of the preconditioner.
  double low_mm2 = 0, high_mm2 = 0;
  double from_flux_mm2 = 0;         ///< permeability from the mean velocity; the relative error is that of the fields
  double from_dissipation_mm2 = 0;  ///< permeability from the dissipated power; equals from_flux_mm2 for the exact solution
  std::array<double, 3> column_mm2{};  ///< mean velocity (z, y, x) divided by the gradient: a column of the tensor
  /// Mean velocity over the flowing fluid, and largest velocity component [mm/s].
  double mean_velocity_mm_per_s = 0, highest_velocity_mm_per_s = 0;
  /// density * mean velocity in the flowing pores * hydraulic diameter (4 volume / wetted surface) / viscosity. The Stokes
  /// equations are valid for Reynolds numbers well below 1.
  double reynolds_number = 0;
  solve_certificate certificate;  ///< unknowns are velocities and pressures; energy_identity_error: flux against dissipation
  std::vector<float> velocity_mm_per_s;  ///< shape (cells, 3), components (z, y, x)
  /// Face velocities, if requested: shape (cells, 6), along z, y, x through the low and the high face of each cell.
  std::vector<double> face_velocity_mm_per_s;
  double faces_change = 0;  ///< see carried_velocities
  /// Per cell; in a periodic box without the uniform gradient, otherwise from the drop to zero.
  std::vector<float> pressure_Pa;
};

struct flow_solution {
  std::vector<flow_direction> directions;  ///< in the order of flow_problem::directions
  /// Symmetric tensor by (row, column) = (component of the velocity, direction of the gradient). Entries are zero for
  /// directions that were not requested. Off-diagonal entries are computed from mixed dissipation and are as accurate as
  /// diagonal entries.
  std::array<std::array<double, 3>, 3> tensor_mm2{};
  double asymmetry = 0;                   ///< largest |k_ij - k_ji| of the mean velocities over the largest entry
  std::array<double, 3> principal_mm2{};  ///< descending; of a tensor of three directions
  std::array<std::array<double, 3>, 3> principal_direction{};  ///< unit vectors (z, y, x)
  flow_counts counts;
  double hydraulic_diameter_mm = 0;  ///< 4 volume / wetted surface of the flowing fluid
  double setup_seconds = 0;          ///< wall time
};

/// Check the problem as `solve_permeability` does, without a solution. @throws as solve_permeability @collective on
/// problem.where.comm
void check_permeability(const flow_problem& problem, const flow_options& options);

/// Solve steady Stokes flow in each direction.
///
/// The grid is staggered on the flowing voxels: pressures are at voxel centres, velocity components are on voxel faces.
/// Conjugate gradients solve the coupled system. The preconditioner has multigrid cycles for each velocity component and
/// for the pressure, with the mobility of the pores as conductivity (flow_solver.hpp). Fluid parts that percolate in no
/// direction are stagnant and are not solved. A direction without a percolating part has permeability 0; the log reports
/// such directions. A missed tolerance is not an error, but sets certificate.converged to false.
/// @throws usage_error for an inconsistent problem @throws data_error without fluid, or if the fluid touches no wall and
/// has no resistance
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
flow_solution solve_permeability(const flow_problem& problem, const flow_options& options, log_sink& log);

}  // namespace osteon::physics
