#include <osteon/numerics/joint_certificate.hpp>

#include <algorithm>
#include <cmath>

namespace osteon::numerics {

solve_certificate joint_certificate(std::span<const solve_certificate> each) {
  solve_certificate all =
      *std::max_element(each.begin(), each.end(), [](const solve_certificate& a, const solve_certificate& b) {
        return a.true_relative_residual < b.true_relative_residual;
      });
  all.iterations = all.restarts = 0;
  all.setup_seconds = all.solve_seconds = all.earlier_seconds = 0;
  all.setup_cpu_seconds = all.solve_cpu_seconds = 0;
  all.work = {};
  for (const solve_certificate& certificate : each) {
    all.unknowns = std::max(all.unknowns, certificate.unknowns);
    all.iterations += certificate.iterations;
    all.restarts += certificate.restarts;
    all.converged = all.converged && certificate.converged;
    all.reaction_imbalance = std::max(all.reaction_imbalance, certificate.reaction_imbalance);
    all.moment_imbalance = std::max(all.moment_imbalance, certificate.moment_imbalance);
    all.energy_identity_error = std::max(all.energy_identity_error, certificate.energy_identity_error);
    all.setup_seconds += certificate.setup_seconds;
    all.solve_seconds += certificate.solve_seconds;
    all.earlier_seconds += certificate.earlier_seconds;
    all.setup_cpu_seconds += certificate.setup_cpu_seconds;
    all.solve_cpu_seconds += certificate.solve_cpu_seconds;
    all.work += certificate.work;
  }
  return all;
}

solve_certificate joint_certificate(std::span<const solve_certificate> each, std::span<const double> energy,
                                    double straight) {
  constexpr double rounding = 1e-12;
  double largest = 0;
  for (const double e : energy) largest = std::max(largest, std::abs(e));
  if (largest <= rounding * straight) largest = straight;
  std::vector<solve_certificate> scaled(each.begin(), each.end());
  for (std::size_t i = 0; i < scaled.size() && largest > 0; ++i)
    for (double* error : {&scaled[i].reaction_imbalance, &scaled[i].moment_imbalance, &scaled[i].energy_identity_error})
      *error *= std::abs(energy[i]) / largest;
  return joint_certificate(scaled);
}

}  // namespace osteon::numerics
