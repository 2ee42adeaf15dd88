#pragma once
/// @file
/// Quality measures of a solution, reported by every solver.
#include <cstdint>
#include <osteon/numerics/kernel_work.hpp>
#include <vector>

namespace osteon::numerics {

/// Certificate of a solution. All members are equal on all ranks.
struct solve_certificate {
  std::int64_t unknowns = 0;  ///< free degrees of freedom, all ranks
  int iterations = 0;
  int restarts = 0;  ///< number of recomputations of the residual
  bool converged = false;
  std::vector<double> residual_history;  ///< |r_k| / |r_0| after iteration k, from k = 0
  double true_relative_residual = 0;     ///< |f - K u| / |r_0|, recomputed at the end in double
  /// Norm of the sum of all reactions and forces, divided by half the sum of their magnitudes. In elasticity, this quotient
  /// vanishes with the residual.
  double reaction_imbalance = 0;
  double moment_imbalance = 0;                  ///< the corresponding ratio of moments about the origin; elasticity only
  double energy_identity_error = 0;             ///< |u.K.u - F.u| / |F.u|, where F contains the reactions and forces
  double setup_seconds = 0, solve_seconds = 0;  ///< wall time
  double earlier_seconds = 0;                   ///< part of solve_seconds spent before this run was resumed
  double setup_cpu_seconds = 0, solve_cpu_seconds = 0;  ///< CPU time of all ranks and threads, in this run
  kernel_work work;  ///< kernel work of the solution, all ranks, in this run; empty if the solver does not count its work

  /// Add the iterations and times of a preceding solution.
  void add_earlier(const solve_certificate& earlier) {
    iterations += earlier.iterations;
    restarts += earlier.restarts;
    solve_seconds += earlier.solve_seconds;
    solve_cpu_seconds += earlier.solve_cpu_seconds;
    work += earlier.work;
  }
};

}  // namespace osteon::numerics
