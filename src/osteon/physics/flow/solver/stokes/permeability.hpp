#pragma once
/// @file
/// Permeability of a voxel sample: steady Stokes flow of one fluid through the voxels that a choice of labels makes fluid.
///
/// How a job uses it:
/// 1. `fluid_cells` makes the runs of the fluid from the block's active voxels and their labels; label 0 is empty space,
///    so a pore space that an image leaves empty flows as well as any material.
/// 2. `check_permeability` says at once, without solving, what `solve_permeability` would refuse.
/// 3. `solve_permeability` solves one direction after another. Fields are per cell of `flow_problem::cells`, in their order
///    (z, y, x, as heat's temperatures are per active cell): velocity of shape (cells, 3), components (z, y, x), at the
///    centre of the voxel, and pressure. A voxel whose part of the fluid carries no flow has velocity 0 and pressure 0.
/// 4. Everything else in `flow_solution` is the same on all ranks.
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

/// When a direction is done: all that is asked for holds.
struct flow_options {
  /// Largest relative distance between any two of: permeability, its two bounds, those from flux and from dissipation.
  double permeability_tolerance = 1e-4;
  double residual_tolerance = 1;  ///< of |r| / |r0|, momentum and mass together, true residual; 1: not asked for
  int max_iterations = 500;       ///< for each direction
  bool fields = true;             ///< whether velocities and pressures are wanted
  std::function<void()> poll{};   ///< called between iterations, may throw on all ranks to end the solve; empty: not
  bool rehearses = false;         ///< one iteration, and whatever else a solve may send: for the plans of virtual ranks
  velocity_projector carry{};     ///< makes the velocities on the voxels' faces; empty: not wanted
};

/// The answer for one direction.
struct flow_direction {
  axis along = axis::z;
  /// Whether a path of fluid leads through. If not, everything below is zero, and nothing was solved.
  bool percolates = false;
  double permeability_mm2 = 0;  ///< off by the square of the error of the fields
  /// Bounds from the residual and the preconditioner in place of the exact inverses, with a factor for its quality.
  double low_mm2 = 0, high_mm2 = 0;
  double from_flux_mm2 = 0;            ///< mean velocity; off by the error of the fields
  double from_dissipation_mm2 = 0;     ///< power that friction takes; equals the one from flux at the solution
  std::array<double, 3> column_mm2{};  ///< mean velocity (z, y, x) over the gradient: a column of the tensor
  /// mean over the fluid that flows, and largest value of a component; [mm/s]
  double mean_velocity_mm_per_s = 0, highest_velocity_mm_per_s = 0;
  /// density * mean velocity in the flowing pores * hydraulic diameter (4 volume / wetted surface) / viscosity. Stokes flow
  /// holds well below 1.
  double reynolds_number = 0;
  solve_certificate certificate;  ///< unknowns are velocities and pressures; energy_identity_error: flux against dissipation
  std::vector<float> velocity_mm_per_s;  ///< shape (cells, 3), components (z, y, x)
  /// If they are wanted: shape (cells, 6), along z, y, x through the low and the high face of each cell.
  std::vector<double> face_velocity_mm_per_s;
  double faces_change = 0;  ///< as carried_velocities tells
  std::vector<float>
      pressure_Pa;  ///< per cell; where the box repeats without the uniform gradient, else from the drop to zero
};

struct flow_solution {
  std::vector<flow_direction> directions;  ///< in the order of flow_problem::directions
  /// By (row, column) = (component of the velocity, direction of the gradient), symmetric; zero where a direction was not
  /// asked for. Entries off the diagonal are from mixed dissipation, hence as exact as those on it.
  std::array<std::array<double, 3>, 3> tensor_mm2{};
  double asymmetry = 0;                   ///< largest |k_ij - k_ji| of the mean velocities over the largest entry
  std::array<double, 3> principal_mm2{};  ///< descending; of a tensor of three directions
  std::array<std::array<double, 3>, 3> principal_direction{};  ///< unit vectors (z, y, x)
  flow_counts counts;
  double hydraulic_diameter_mm = 0;  ///< 4 volume / wetted surface of what flows
  double setup_seconds = 0;          ///< wall
};

/// Check the problem as `solve_permeability` does, without solving. @throws as it @collective on problem.where.comm
void check_permeability(const flow_problem& problem, const flow_options& how);

/// Solve steady Stokes flow in each direction.
///
/// Staggered grid on the flowing voxels: pressure at their centres, velocity components on their faces. The coupled system
/// is solved by conjugate gradients with multigrid for each component and for a pressure whose conductivity is the mobility
/// of the pores (flow_solver.hpp). Parts of the fluid that lead through in no direction stand still and are left out. A
/// direction that no part leads through has permeability 0, told to the log. Not reaching a tolerance is no error: then
/// certificate.converged is false.
/// @throws usage_error for a problem that is not consistent @throws data_error without fluid, or if the fluid touches no
/// wall,
///   so that nothing would hold it back
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
flow_solution solve_permeability(const flow_problem& problem, const flow_options& how, log_sink& log);

}  // namespace osteon::physics
