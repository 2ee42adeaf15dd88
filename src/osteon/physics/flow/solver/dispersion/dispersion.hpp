#pragma once
/// @file
/// Effective dispersion of a solute in the flow through a sample. The sample is periodic or mirrored at its faces.
/// Dispersion is the effect of molecular diffusion and of velocity differences on scales larger than the sample.
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

struct dispersion_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned; separate stagnant parts are excluded
  axis along = axis::z;  ///< direction of the flow
  /// True: the sample and its flow are mirrored at the faces. False: the sample is periodic.
  bool is_mirrored = false;
  /// Face velocities, in the format of flow_direction. The velocities must conserve mass in each voxel.
  std::vector<double> face_velocity_mm_per_s;
  /// Peclet numbers, >= 0. A Peclet number is the mean velocity of the flowing fluid along the axis `along`, times the
  /// length, divided by the diffusivity. The solution has a tensor for each Peclet number.
  std::vector<double> peclet_numbers;
  double length_mm = 1;  ///< length in the Peclet number
};

struct dispersion_tensor {
  double peclet_number = 0;
  double cell_peclet_number = 0;  ///< highest Peclet number based on a face velocity and the edge length of a voxel
  /// Symmetric part of the dispersion tensor divided by the molecular diffusivity. Rows and columns have the order z, y, x.
  /// Only the symmetric part affects a balance of the solute. For a mirrored sample, the tensor is diagonal, because
  /// mirroring across an axis changes the sign of off-diagonal entries.
  std::array<std::array<double, 3>, 3> over_diffusivity{};
  /// Dispersion along each axis, computed from the velocity fluctuation and from the gradients. For the exact discrete
  /// solution, the two values are equal. energy_identity_error is the largest relative difference between the two values.
  std::array<double, 3> from_gradients{};
  solve_certificate certificate;
};

struct dispersion_solution {
  std::vector<dispersion_tensor> tensors;  ///< tensor for each Peclet number
  double mean_velocity_mm_per_s = 0;       ///< mean of the given velocities along the axis, averaged over the flowing fluid
  std::int64_t cells = 0;                  ///< number of flowing voxels on all ranks
};

/// Check the problem except for its velocities. @throws usage_error @collective local
void check_dispersion(const dispersion_problem& problem);

/// Solve the closure problem of the three axes for each Peclet number.
///
/// Concentrations are <c> + b . grad <c>. For a unit gradient along axis j, x_j + b_j satisfies the advection-diffusion
/// equation. The mean velocity is the source in this equation. The source prevents a drift:
///   u . grad b - D lap b = mean(u) - u, n . grad b = -n on walls, b repeats,
///   D_ij = D (delta_ij + mean(d_i b_j)) - mean((u_i - mean u_i) b_j),
/// All means are averages over the flowing fluid. The discretisation uses two-point fluxes. The concentration of a face is
/// the mean of the two adjacent voxels. This mean is of second order at any Peclet number, and adds no numerical dispersion.
/// At the Peclet number 0, the result equals the effective diffusivity of the heat solver.
///
/// A sample that is mirrored at its faces is periodic, with twice its length along each axis. Across the flow, one length of
/// the sample is sufficient. b_j is odd along the axis j (zero on the faces), and even along the other axes (insulated
/// faces). Along the flow, mirroring reverses the velocity relative to the gradient. Along the flow, b is therefore neither
/// even nor odd. The sample is solved together with its mirror image.
/// @cite [CarbonellWhitaker1983]; [Brenner1980]
/// @param solver_options.tolerance limit of |r| relative to |r| for b = 0. If |r| does not reach the limit,
/// certificate.converged is false
/// @throws data_error if several disconnected parts of the fluid flow, because the dispersion of separate flows is unlimited
/// @throws usage_error in the cases of check_dispersion @throws solve_error if a value is not finite @collective on
/// problem.where.comm
dispersion_solution solve_dispersion(const dispersion_problem& problem, const options& solver_options, log_sink& log);

}  // namespace osteon::physics
