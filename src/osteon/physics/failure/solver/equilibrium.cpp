#include <osteon/physics/failure/solver/equilibrium.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/base/release.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/elasticity/solver/reactions.hpp>

namespace osteon::physics {

namespace {

// Limits for the reduction of the residual by an inner solution. If early corrections were more accurate, iterations would
// be wasted.
constexpr double loosest_reduction = 0.1, tightest_reduction = 0.01;
// A correction is accepted if at most this fraction of the slope of the energy remains.
constexpr double slope_left = 0.8;
constexpr int most_cuts = 6;
constexpr int most_damps = 3;
// Largest ratio of the residual to the smallest residual in a step. If the ratio is larger, the step is abandoned.
constexpr double most_growth = 1e3;
// Reduction of the residual in the fixed-point iteration. Corrections with the secant stiffness are accurate to at most a
// few digits.
constexpr double fixed_point_reduction = 0.03;
constexpr double restart_growth = 2;

}  // namespace

equilibrium::equilibrium(const elasticity_problem& problem, const failure_plan& plan, const std::function<void()>& pass)
    : problem_(problem) {
  pass();
  k_.emplace(problem, plan.integration);
  multigrid_.emplace(problem, *k_, pass);
  k_->drop_ids();
  voxels_ = make_yielding_voxels(problem, plan, k_->stride());
  cg_.emplace(problem.where.comm, *k_, *voxels_, *multigrid_);
  if (!voxels_->has_energy()) acceleration_.emplace([this](const float* a, const float* b) { return cg_->dot(a, b); });
  residual_.assign(at(k_->size()), 0.0F);
  correction_.assign(at(k_->size()), 0.0F);
  reaction_.assign(k_->fixed().size(), 0.0);
}

bool equilibrium::is_owned(std::int64_t place) const {
  const auto copies = k_->shared().not_owned();
  return !std::binary_search(copies.begin(), copies.end(), static_cast<std::int32_t>(place % k_->stride()));
}

std::span<double> equilibrium::forces(const double* u, bool yields) {
  const std::span<double> y = multigrid_->scratch(1);
  k_->own_forces(u, y.data());
  if (yields) voxels_->add_forces(u, y.data());
  k_->add_copies(y.data());
  return y;
}

balance equilibrium::take_balance(std::span<double> y) {
  const auto fixed = k_->fixed();
  double square = 0;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    double& force = y[at(fixed[i])];
    reaction_[i] = force;
    if (is_owned(fixed[i])) square += force * force;
    force = 0;
  }
  comm::all_reduce(problem_.where.comm, &square, 1, MPI_SUM);
  return {std::sqrt(cg_->dot(y.data(), y.data())), std::sqrt(square)};
}

double equilibrium::work_of_reactions(std::span<const double> values) const {
  const auto fixed = k_->fixed();
  double sum = 0;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (is_owned(fixed[i])) sum += reaction_[i] * values[i];
  return comm::sum_over_ranks(problem_.where.comm, sum);
}

newton_outcome equilibrium::solve_elastic(std::span<double> u, double tolerance, int most_iterations) {
  constexpr int most_restarts = 20;
  return iterate(u, tolerance, most_restarts, most_iterations, false);
}

newton_outcome equilibrium::solve(std::span<double> u, double tolerance, int most_corrections, int most_iterations) {
  return iterate(u, tolerance, most_corrections, most_iterations, true);
}

newton_outcome equilibrium::iterate(std::span<double> u, double tolerance, int most_corrections, int most_iterations,
                                    bool yields) {
  newton_outcome outcome;
  std::span<double> y = forces(u.data(), yields);
  balance now = take_balance(y);
  double before = now.free_N, least = now.free_N;
  const bool is_fixed_point = yields && acceleration_;
  if (is_fixed_point) acceleration_->restart();
  int damped = 0;
  for (;;) {
    outcome.forces = now;
    if (!std::isfinite(now.free_N) || now.free_N > most_growth * least) return outcome;
    if (now.residual() <= tolerance) {
      outcome.converged = true;
      return outcome;
    }
    if (outcome.corrections >= most_corrections || outcome.iterations >= most_iterations) return outcome;
    least = std::min(least, now.free_N);
    // The reduction is the second choice of Eisenstat and Walker, limited by the tolerance.
    const double gain = now.free_N / before;
    double reduction =
        outcome.corrections == 0 ? loosest_reduction : std::clamp(0.9 * gain * gain, tightest_reduction, loosest_reduction);
    if (!yields) reduction = 1e-5;
    if (is_fixed_point) reduction = fixed_point_reduction;
    reduction = std::clamp(0.5 * tolerance / now.residual(), reduction, 0.5);
    for_each(k_->size(), [r = residual_.data(), y = y.data(), s = -1 / now.free_N](std::int64_t i) {
      r[i] = static_cast<float>(s * y[i]);
    });
    const auto inner = cg_->solve(u.data(), residual_, reduction, most_iterations - outcome.iterations, correction_);
    outcome.iterations += inner.iterations;
    if (!inner.is_finite) return outcome;
    if (!inner.is_positive) {
      if (++damped > most_damps) return outcome;
      multigrid_->damp();
      if (inner.iterations == 0) {
        y = forces(u.data(), yields);
        now = take_balance(y);
        continue;
      }
    }
    before = now.free_N;
    now = is_fixed_point ? move_accelerated(u, now.free_N) : move_along(u, now.free_N, yields, inner.energy);
    y = multigrid_->scratch(1);
    ++outcome.corrections;
    outcome.residuals.push_back(now.residual());
  }
}

// Move u along the correction. A line search on the energy determines the distance. The second scratch vector receives the
// forces for the new displacements.
balance equilibrium::move_along(std::span<double> u, double length, bool yields, double slope) {
  double part = 1;
  for (int cut = 0;; ++cut) {
    const std::span<double> trial = multigrid_->scratch(0);
    for_each(k_->size(), [x = trial.data(), u = u.data(), d = correction_.data(), s = part * length](std::int64_t i) {
      x[i] = u[i] + s * static_cast<double>(d[i]);
    });
    const std::span<double> y = forces(trial.data(), yields);
    const balance now = take_balance(y);
    const double left = -cg_->dot(y.data(), correction_.data()) / length;
    // The energy is convex. `left` is minus the derivative of the energy along the correction. Beyond the minimum, `left` is
    // negative.
    if (!yields || left >= -slope_left * slope || cut >= most_cuts || !std::isfinite(left)) {
      for_each(k_->size(), [u = u.data(), x = trial.data()](std::int64_t i) { u[i] = x[i]; });
      return now;
    }
    part *= std::clamp(slope / (slope - left), 0.1, 0.7);
  }
}

// Compute the next iterate of the accelerated fixed-point iteration. A large increase of the residual indicates new damage.
// After such an increase, the acceleration discards the previous iterates.
balance equilibrium::move_accelerated(std::span<double> u, double length) {
  for_each(k_->size(), [d = correction_.data(), s = static_cast<float>(length)](std::int64_t i) { d[i] *= s; });
  acceleration_->accelerate(correction_);
  for_each(k_->size(), [u = u.data(), d = correction_.data()](std::int64_t i) { u[i] += static_cast<double>(d[i]); });
  const balance now = take_balance(forces(u.data(), true));
  if (now.free_N > restart_growth * length) acceleration_->restart();
  return now;
}

void equilibrium::drop_preconditioner() {
  acceleration_.reset();
  cg_.reset();
  multigrid_.reset();
  release(residual_);
  release(correction_);
}

void write_state(equilibrium& body, const elasticity_problem& problem, std::vector<double>& u, bool yields,
                 elasticity_solution& to) {
  const fine_stiffness& k = body.k();
  const std::int64_t stride = k.stride();
  const std::span<double> y = body.forces(u.data(), yields);
  const double energy = body.cg().dot(u.data(), y.data());
  body.take_balance(y);
  const auto fixed = k.fixed();
  const auto reactions = body.reactions();
  force_balance balance;
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (body.is_owned(fixed[i]))
      balance.add(problem, static_cast<std::int32_t>(fixed[i] % stride), static_cast<int>(fixed[i] / stride), reactions[i],
                  u[at(fixed[i])]);
  balance.certify(problem.where.comm, energy, to.certificate);
  const auto nodes = at(problem.nodes.size());
  to.reaction_N.assign(3 * nodes, 0.0);
  to.displacement_mm.resize(3 * nodes);
  for (std::size_t c3 = 0; c3 < 3; ++c3)
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t from = c3 * at(stride) + i;
      to.reaction_N[3 * i + c3] = y[from];
      to.displacement_mm[3 * i + c3] = u[from];
    }
  for (std::size_t i = 0; i < fixed.size(); ++i)
    to.reaction_N[at(3 * (fixed[i] % stride) + fixed[i] / stride)] = reactions[i];
  const auto copies = k.shared().not_owned();
  to.copies.assign(copies.begin(), copies.end());
}

}  // namespace osteon::physics
