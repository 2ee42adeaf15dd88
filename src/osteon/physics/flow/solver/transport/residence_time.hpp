#pragma once
/// @file
/// Residence time of a fluid in steady flow. The results are the mean age of the fluid, and the age of the outflow.
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Mean age a of the fluid at a point. The mean is over all paths to this point. The age satisfies u . grad a = D laplace a
/// + 1. At inflow, a = 0. There is no diffusion through openings and walls [Danckwerts1953; Sandberg1981]. For any flow and
/// any D, the flow-weighted age of the outflow is therefore the volume of the fluid divided by the flow rate.
struct residence_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set fluid;
  std::vector<flow_boundary> openings;         ///< boundaries of the flow
  std::vector<double> face_velocity_mm_per_s;  ///< face velocities in the format of through_solution
  /// self-diffusivity of the fluid; must be > 0, because only diffusion renews fluid at rest
  double diffusivity_mm2_per_s = 0;
};

/// A distribution of ages [s].
struct age_distribution {
  double mean = 0, median = 0, p95 = 0, high = 0;
};

struct residence_solution {
  std::vector<float> age_s;      ///< age in each cell; NaN for fluid that is never renewed
  age_distribution inside;       ///< ages of the renewed volume
  age_distribution leaving;      ///< ages of the outflow through voxel faces, weighted by the flow
  double volume_mm3 = 0;         ///< volume of the renewed fluid
  double outflow_mm3_per_s = 0;  ///< total outflow
  /// Fraction of the fluid that is older than three times volume / outflow. Fluid that is never renewed is included.
  double stagnant_share = 0;
  /// reaction_imbalance is the relative difference between the age in the outflow and the generated age
  solve_certificate certificate;
};

/// Solve with the scheme and the solver for a transported temperature (heat_convection::limited).
/// @param solver_options the tolerance limits the residual relative to the residual of the age 0
/// @throws usage_error without inflow, or if D <= 0
/// @throws solve_error if a value is not finite @collective on problem.where.comm; all ranks throw the same error
residence_solution solve_residence_time(const residence_problem& problem, const options& solver_options, log_sink& log);

}  // namespace osteon::physics
