#include <osteon/solve/joint_certificate.hpp>

#include <algorithm>

namespace osteon::solve {

certificate joint_certificate(std::span<const certificate> each) {
  certificate all = *std::max_element(each.begin(), each.end(), [](const certificate& a, const certificate& b) {
    return a.true_relative_residual < b.true_relative_residual;
  });
  all.iterations = 0;
  all.setup_seconds = all.solve_seconds = all.earlier_seconds = 0;
  for (const certificate& proof : each) {
    all.unknowns = std::max(all.unknowns, proof.unknowns);
    all.iterations += proof.iterations;
    all.converged = all.converged && proof.converged;
    all.reaction_imbalance = std::max(all.reaction_imbalance, proof.reaction_imbalance);
    all.moment_imbalance = std::max(all.moment_imbalance, proof.moment_imbalance);
    all.energy_identity_error = std::max(all.energy_identity_error, proof.energy_identity_error);
    all.setup_seconds += proof.setup_seconds;
    all.solve_seconds += proof.solve_seconds;
    all.earlier_seconds += proof.earlier_seconds;
  }
  return all;
}

}  // namespace osteon::solve
