#pragma once
/// @file
/// Effective dispersion of a solute in the flow through a sample, periodic or mirrored at its faces: the large-scale
/// effect of molecular diffusion and of velocity differences inside one sample.
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

struct dispersion_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned; stagnant separate parts are left out
  axis along = axis::z;  ///< direction of the flow
  /// The sample and its flow are mirrored at the faces; otherwise the sample is periodic.
  bool is_mirrored = false;
  /// As in flow_direction; they conserve mass in each voxel.
  std::vector<double> face_velocity_mm_per_s;
  /// Mean velocity along `along` in the flowing fluid, times length divided by diffusivity; >= 0. Each number has a tensor.
  std::vector<double> peclet_numbers;
  double length_mm = 1;  ///< length in the Peclet number
};

struct dispersion_tensor {
  double peclet_number = 0;
  double cell_peclet_number = 0;  ///< highest value, with a face's velocity and the voxel
  /// Divided by the molecular diffusivity, (row, column) as (z, y, x): the symmetric part, which alone enters a balance. For
  /// a mirrored sample it is diagonal, as mirroring across an axis changes the sign of off-diagonal entries.
  std::array<std::array<double, 3>, 3> over_diffusivity{};
  /// Dispersion of each axis from the velocity fluctuation and from the gradients. Both values are equal for the exact
  /// discrete solution; energy_identity_error is their largest relative difference.
  std::array<double, 3> from_gradients{};
  solve_certificate certificate;
};

struct dispersion_solution {
  std::vector<dispersion_tensor> tensors;  ///< by Peclet number
  double mean_velocity_mm_per_s = 0;       ///< mean of the given velocities along the axis, over the flowing fluid
  std::int64_t cells = 0;                  ///< flowing voxels, all ranks
};

/// Check the problem except for its velocities. @throws usage_error @collective local
void check_dispersion(const dispersion_problem& problem);

/// Solve the closure problem of the three axes for each Peclet number.
///
/// Concentrations are <c> + b . grad <c>. For a unit gradient along axis j, x_j + b_j satisfies the advection-diffusion
/// equation with the mean velocity as source, which prevents a drift:
///   u . grad b - D lap b = mean(u) - u, n . grad b = -n on walls, b repeats,
///   D_ij = D (delta_ij + mean(d_i b_j)) - mean((u_i - mean u_i) b_j),
/// with means over the flowing fluid. The discretisation uses two-point fluxes; the concentration of a face is the mean of
/// both voxels, which is second order at any Peclet number and adds no numerical dispersion. At Peclet number 0 the result
/// is the effective diffusivity, as computed by the heat solver.
///
/// A sample mirrored at its faces is periodic with twice its length along each axis. Across the flow, one length is
/// sufficient: b of another axis is even (insulated faces), b of the axis itself is odd (zero on the faces). Along the flow,
/// mirroring reverses the velocity relative to the gradient, so that b is neither even nor odd; the sample is solved
/// together with its mirror image.
/// @cite [CarbonellWhitaker1983]; [Brenner1980]
/// @param solver_options.tolerance limit of |r| relative to |r| of b = 0. If it is not reached, certificate.converged
/// is false
/// @throws data_error if several disconnected parts of the fluid flow: their dispersion is unlimited
/// @throws usage_error as check_dispersion @throws solve_error if a value is not finite @collective on problem.where.comm
dispersion_solution solve_dispersion(const dispersion_problem& problem, const options& solver_options, log_sink& log);

}  // namespace osteon::physics
