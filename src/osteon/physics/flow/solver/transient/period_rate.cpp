#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/numerics/operators/cell_reductions.hpp>
#include <osteon/physics/flow/solver/transient/period_rate.hpp>

namespace osteon::physics {

void period_rate::add_force(double drop, double* force) const {
  for (const std::int32_t i : open_.seam[a_])
    force[static_cast<std::int64_t>(a_) * cells_.stride() + i] += cells_.slope[a_] * drop;
}

double period_rate::rate_of(const double* u) const {
  double sum = 0;
  for (const std::int32_t i : open_.seam[a_]) sum += u[static_cast<std::int64_t>(a_) * cells_.stride() + i];
  return sum_of_ranks(cells_.grid.where.comm, std::array{sum})[0];
}

double period_rate::length_of(const double* v) const {
  const std::int64_t n = cells_.stride();
  return std::sqrt(block_sums<1>(cells_.grid.where.comm, {cells_.grid.owned, 3},
                                 [&](std::int64_t c, std::int64_t begin, std::int64_t count, auto& sum) {
                                   const double* const own = v + c * n + begin;
                                   for (std::int64_t i = 0; i < count; ++i) sum[0] += own[i] * own[i];
                                 })[0]);
}

// Subtract the divergent part of velocity_. increment_ receives the vector d of the projection.
void period_rate::project(pressure_projection& projection, const tolerances& options, outcome& result) {
  const double* const u = velocity_.data();
  const double unit = largest_over_cells(cells_.grid, [u, n = cells_.stride()](std::int32_t i, const auto&) {
    return std::max({std::abs(u[i]), std::abs(u[n + i]), std::abs(u[2 * n + i])});
  });
  increment_.assign(at(cells_.stride()), 0);
  const auto found = projection.project(
      velocity_.data(), increment_.data(),
      {options.relative / 2 * unit, options.relative * length_of(velocity_.data()), options.most}, options.poll);
  result.pressure_iterations += found.iterations;
  result.converged = result.converged && found.converged;
  divergence_ = found.divergence;
  response_rate_ = rate_of(velocity_.data());
  if (!(std::abs(response_rate_) > 0))
    throw solve_error(
        "a pressure drop over the period causes no flow, so that the prescribed flow rate is impossible; set "
        "pressure_drop_Pa");
}

period_rate::outcome period_rate::find_response(momentum_solver& momentum, pressure_projection& projection, double sigma,
                                                double implicitness, const tolerances& options) {
  outcome result;
  if (sigma == sigma_ && implicitness == implicitness_) return result;
  sigma_ = sigma;
  implicitness_ = implicitness;
  const std::int64_t n = cells_.stride();
  std::vector<double> force(3 * at(n)), change(4 * at(n));
  add_force(1 / implicitness, force.data());
  const auto friction = momentum.solve(force.data(), change.data(), false, options.relative * length_of(force.data()),
                                       options.most, options.poll);
  result.friction_iterations = friction.iterations;
  result.converged = friction.converged;
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(change.data() + c * n);
  velocity_.assign(change.begin(), change.begin() + 3 * n);
  std::vector<double> divergence(at(n));
  projection.find_divergence(velocity_.data(), divergence.data());
  project(projection, options, result);
  pressure_.resize(at(n));
  for (std::size_t i = 0; i < at(n); ++i) {
    increment_[i] *= sigma;
    pressure_[i] = increment_[i] + implicitness * divergence[i];
  }
  projection.remove_free_pressure(pressure_.data());
  return result;
}

period_rate::outcome period_rate::find_impulse(pressure_projection& projection, const tolerances& options) {
  outcome result;
  sigma_ = implicitness_ = -1;
  velocity_.assign(3 * at(cells_.stride()), 0);
  add_force(1, velocity_.data());
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(velocity_.data() + c * cells_.stride());
  project(projection, options, result);
  pressure_ = increment_;
  projection.remove_free_pressure(pressure_.data());
  return result;
}

void period_rate::save(solver_state& state) {
  const std::size_t n = at(cells_.stride()), owned = at(cells_.grid.owned);
  velocity_.resize(3 * n), increment_.resize(n), pressure_.resize(n);
  const grid::node_layout one{1, 0, 1};
  for (std::size_t c = 0; c < 3; ++c)
    state.vectors.push_back({std::string("response_") + "zyx"[c], std::span(velocity_).subspan(c * n, owned), one});
  state.vectors.push_back({"response_increment", std::span(increment_).first(owned), one});
  state.vectors.push_back({"response_pressure", std::span(pressure_).first(owned), one});
  state.numbers["response"] = {sigma_, implicitness_, response_rate_, divergence_};
}

void period_rate::restore(const solver_state& state) {
  const std::vector<double>& numbers = state.numbers.at("response");
  sigma_ = numbers.at(0), implicitness_ = numbers.at(1), response_rate_ = numbers.at(2), divergence_ = numbers.at(3);
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(velocity_.data() + c * cells_.stride());
}

}  // namespace osteon::physics
