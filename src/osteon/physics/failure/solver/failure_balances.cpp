#include <osteon/comm/reductions.hpp>
#include <osteon/physics/failure/solver/failure_balances.hpp>

#include <cmath>

namespace osteon::physics {

void write_state(equilibrium& body, const elasticity_problem& problem, std::vector<double>& u, bool yields,
                 elasticity_solution& to) {
  const fine_stiffness& k = body.k();
  const std::int64_t stride = k.stride();
  const std::span<double> y = body.forces(u.data(), yields);
  const double energy = body.cg().dot(u.data(), y.data());
  body.take_balance(y);
  const auto fixed = k.fixed();
  const auto reactions = body.reactions();
  double sums[9] = {};  // force along z, y, x; moment about z, y, x; magnitudes of both; work
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (!body.is_owned(fixed[i])) continue;
    const double force = reactions[i];
    const auto along = static_cast<int>(fixed[i] / stride);
    const vector3 arm = position_mm(problem, static_cast<std::int32_t>(fixed[i] % stride));
    sums[along] += force;
    for (int about = 0; about < 3; ++about) {
      if (about == along) continue;
      const int third = 3 - about - along;
      const double moment = ((about + 1) % 3 == along ? 1 : -1) * arm[third] * force;  // (z, y, x) is left-handed
      sums[3 + about] += moment;
      sums[7] += std::abs(moment);
    }
    sums[6] += std::abs(force);
    sums[8] += force * u[static_cast<std::size_t>(fixed[i])];
  }
  comm::all_reduce(problem.where.comm, sums, 9, MPI_SUM);
  solve_certificate& c = to.certificate;
  c.reaction_imbalance = sums[6] > 0 ? std::hypot(sums[0], sums[1], sums[2]) / (sums[6] / 2) : 0;
  c.moment_imbalance = sums[7] > 0 ? std::hypot(sums[3], sums[4], sums[5]) / (sums[7] / 2) : 0;
  c.energy_identity_error = sums[8] != 0 ? std::abs(energy - sums[8]) / std::abs(sums[8]) : 0;
  const auto nodes = static_cast<std::size_t>(problem.nodes.size());
  to.reaction_N.assign(3 * nodes, 0.0);
  to.displacement_mm.resize(3 * nodes);
  for (std::size_t c3 = 0; c3 < 3; ++c3)
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t from = c3 * static_cast<std::size_t>(stride) + i;
      to.reaction_N[3 * i + c3] = y[from];
      to.displacement_mm[3 * i + c3] = u[from];
    }
  for (std::size_t i = 0; i < fixed.size(); ++i)
    to.reaction_N[static_cast<std::size_t>(3 * (fixed[i] % stride) + fixed[i] / stride)] = reactions[i];
  const auto copies = k.shared().not_owned();
  to.copies.assign(copies.begin(), copies.end());
}

}  // namespace osteon::physics
