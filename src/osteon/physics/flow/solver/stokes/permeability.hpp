#pragma once
/// @file
/// Permeability of a voxel sample. One fluid flows steadily through the voxels of the selected labels (Stokes flow).
///
/// A job uses these functions in the following order:
/// 1. `fluid_cells` determines the runs of the fluid from the active voxels of the block and their labels. Label 0 is empty
///    space. The fluid can therefore be a pore space without material.
/// 2. `check_permeability` checks the problem like `solve_permeability`, and computes no solution.
/// 3. `solve_permeability` solves one direction after another. The fields are the velocity and the pressure of each cell in
///    `flow_problem::cells`, in the order (z, y, x) of the cells. The velocity at the centre of the voxel has the shape
///    (cells, 3), with components in the order (z, y, x). Voxels in parts of the fluid without flow have the velocity 0 and
///    the pressure 0.
/// 4. All other members of `flow_solution` are equal on all ranks.
///
/// Lengths are in mm. A permeability of 1 mm2 is 1e-6 m2, and 1 darcy is 9.869233e-7 mm2. Viscosity is in Pa s, pressure in
/// Pa, and velocity in mm/s. In these units, velocity = permeability / viscosity * drop / length.
#include <array>
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/physics/flow/solver/stokes/carried_velocities.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// Stopping criterion for a direction. All requested tolerances must be satisfied.
struct flow_options {
  /// Largest relative difference between any two of five values. The values are the permeability, the two bounds of the
  /// permeability, the permeability from flux, and the permeability from dissipation.
  double permeability_tolerance = 1e-4;
  double residual_tolerance = 1;  ///< limit of |r| / |r0| for the true residual of momentum and mass; 1: no limit
  int max_iterations = 500;       ///< maximum number of iterations for each direction
  bool fields = true;             ///< true: compute velocities and pressures
  /// function that is called between iterations; may throw on all ranks to end the solve; may be empty
  std::function<void()> poll{};
  /// True: execute one iteration and all other communication of a solve. Virtual ranks then count messages.
  bool counts_messages = false;
  velocity_projector carry{};  ///< function that computes the velocities on the faces of voxels; empty: not requested
};

/// The solution for one direction.
struct flow_direction {
  axis along = axis::z;
  /// True if the fluid percolates. Otherwise, all members below are zero, and no system has been solved.
  bool percolates = false;
  double permeability_mm2 = 0;  ///< the error is proportional to the squared error of the fields
  /// Bounds of the permeability, computed from the residual. The bounds use the preconditioner instead of the exact inverse.
  /// A factor takes the quality of the preconditioner into account.
  double low_mm2 = 0, high_mm2 = 0;
  /// permeability from the mean velocity; the relative error equals the relative error of the fields
  double from_flux_mm2 = 0;
  /// permeability from the dissipated power; for the exact solution, this value equals from_flux_mm2
  double from_dissipation_mm2 = 0;
  /// mean velocity (z, y, x) divided by the gradient; this vector is a column of the tensor
  std::array<double, 3> column_mm2{};
  /// Mean velocity of the flowing fluid, and largest component of a velocity [mm/s].
  double mean_velocity_mm_per_s = 0, highest_velocity_mm_per_s = 0;
  /// Density times mean velocity in the flowing pores times hydraulic diameter, divided by viscosity. The hydraulic diameter
  /// is 4 volume / wetted surface. The Stokes equations are valid for Reynolds numbers well below 1.
  double reynolds_number = 0;
  /// the unknowns are velocities and pressures; energy_identity_error compares flux and dissipation
  solve_certificate certificate;
  std::vector<float> velocity_mm_per_s;  ///< shape (cells, 3) with components in the order (z, y, x)
  /// Face velocities, if requested. The shape is (cells, 6): the velocities through the low and the high face of each cell
  /// along z, y, x.
  std::vector<double> face_velocity_mm_per_s;
  double faces_change = 0;  ///< carried_velocities::change
  /// Pressure of each cell. In a periodic box, the uniform gradient is subtracted. In other boxes, the pressure decreases
  /// from the pressure drop to zero.
  std::vector<float> pressure_Pa;
};

struct flow_solution {
  std::vector<flow_direction> directions;  ///< solutions in the order of flow_problem::directions
  /// Symmetric tensor. The row is the component of the velocity, and the column is the direction of the gradient. For
  /// directions that were not requested, the entries are zero. Off-diagonal entries are computed from mixed dissipation, and
  /// are as accurate as diagonal entries.
  std::array<std::array<double, 3>, 3> tensor_mm2{};
  double asymmetry = 0;                   ///< largest |k_ij - k_ji| of the mean velocities divided by the largest entry
  std::array<double, 3> principal_mm2{};  ///< principal values in descending order; only for a tensor of three directions
  std::array<std::array<double, 3>, 3> principal_direction{};  ///< unit vectors (z, y, x) of the principal values
  flow_counts counts;
  double hydraulic_diameter_mm = 0;  ///< 4 volume / wetted surface of the flowing fluid
  double setup_seconds = 0;          ///< wall time of the set-up
};

/// Check the problem like `solve_permeability`, and compute no solution. @throws errors of solve_permeability @collective on
/// problem.where.comm
void check_permeability(const flow_problem& problem, const flow_options& options);

/// Solve steady Stokes flow in each direction.
///
/// The grid of the flowing voxels is staggered: pressures are at the centres of voxels, and components of velocities are on
/// the faces. Conjugate gradients solve the coupled system. The preconditioner consists of multigrid cycles for each
/// component of the velocity and for the pressure. The mobility of the pores is the conductivity in these cycles
/// (flow_solver.hpp). Parts of the fluid that percolate in no direction are stagnant, and are not solved. A direction
/// without a percolating part has the permeability 0. The log contains such directions. If the tolerance is missed, no error
/// is thrown, and certificate.converged is false.
/// @throws usage_error for an inconsistent problem @throws data_error without fluid, or if the fluid has no walls and
/// therefore no resistance
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm; all ranks throw the same error
flow_solution solve_permeability(const flow_problem& problem, const flow_options& options, log_sink& log);

}  // namespace osteon::physics
