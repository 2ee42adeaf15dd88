#pragma once
/// @file
/// Residence time of a fluid in steady flow: mean age of the fluid, and age of the outflow.
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Mean age a of the fluid at a point, over all paths to this point. The age satisfies u . grad a = D laplace a + 1 with a
/// = 0 at inflow, and without diffusion through openings and walls [Danckwerts1953; Sandberg1981]. The flow-weighted age
/// of the outflow is therefore the fluid volume divided by the flow rate, for any flow and D.
struct residence_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set fluid;
  std::vector<flow_boundary> openings;         ///< the flow's boundaries
  std::vector<double> face_velocity_mm_per_s;  ///< as in through_solution
  double diffusivity_mm2_per_s = 0;  ///< self-diffusivity of the fluid, > 0, because only diffusion renews fluid at rest
};

/// A distribution of ages [s].
struct age_distribution {
  double mean = 0, median = 0, p95 = 0, high = 0;
};

struct residence_solution {
  std::vector<float> age_s;      ///< per cell; NaN for fluid that is never renewed
  age_distribution inside;       ///< ages over the renewed volume
  age_distribution leaving;      ///< ages over the voxel faces with outflow, weighted by the flow
  double volume_mm3 = 0;         ///< volume of the renewed fluid
  double outflow_mm3_per_s = 0;  ///< total outflow
  /// Fractions of the fluid: fluid older than three times volume / outflow, and fluid that is never renewed.
  double stagnant_share = 0;
  solve_certificate certificate;  ///< reaction_imbalance: reaction_imbalance: relative difference between the age in the
                                  ///< outflow and the generated age
};

/// Solve with the scheme and the solver of an advected temperature (heat_convection::limited).
/// @param solver_options the tolerance limits the residual relative to the residual of age 0
/// @throws usage_error without inflow, or if D is not > 0
/// @throws solve_error if a value is not finite @collective on problem.where.comm: all ranks throw the same
residence_solution solve_residence_time(const residence_problem& problem, const options& solver_options, log_sink& log);

}  // namespace osteon::physics
