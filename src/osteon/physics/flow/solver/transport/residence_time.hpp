#pragma once
/// @file
/// How long a fluid that flows steadily has been in the sample: its mean age, and the age of what leaves.
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// The mean age a of the fluid at a point, over all the paths that lead there: u . grad a = D laplace a + 1, a = 0 where
/// fluid flows in, and nothing diffuses through openings and walls [Danckwerts1953; Sandberg1981]. So the age of what
/// leaves, weighted by the flow, is the volume of the fluid over its flow rate, whatever the flow and D are.
struct residence_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set fluid;
  std::vector<flow_boundary> openings;         ///< the flow's boundaries
  std::vector<double> face_velocity_mm_per_s;  ///< as in through_solution
  double diffusivity_mm2_per_s = 0;            ///< of the fluid in itself, > 0: it renews what the flow does not reach
};

/// A distribution of ages [s].
struct age_distribution {
  double mean = 0, median = 0, p95 = 0, high = 0;
};

struct residence_solution {
  std::vector<float> age_s;      ///< per cell; NaN where no fluid ever comes
  age_distribution inside;       ///< over the volume that is renewed
  age_distribution leaving;      ///< over the voxels' faces by which the fluid leaves, weighted by the flow
  double volume_mm3 = 0;         ///< of the fluid that is renewed
  double outflow_mm3_per_s = 0;  ///< all that leaves
  /// Of all the fluid: what is older than three times volume over outflow, and what is never renewed.
  double stagnant_share = 0;
  solve_certificate certificate;  ///< reaction_imbalance: ages that leave against ages that are made
};

/// Solve, by the scheme and the solver of a temperature that is carried (heat_convection::limited).
/// @param how.tolerance of the residual against that of age 0 @throws usage_error if nothing flows in, or D is not > 0
/// @throws solve_error if a value is not finite @collective on problem.where.comm: all ranks throw the same
residence_solution solve_residence_time(const residence_problem& problem, const options& how, log_sink& log);

}  // namespace osteon::physics
