#include <osteon/physics/flow/solver/transport/transport_solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/numerics/krylov/gcr.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr std::size_t most_kept = 10;
// reduction of the residual by the hybrid scheme before the first update of the limiter
constexpr double first_fall = 1e-2;
constexpr double fall_a_step = 0.05;  // reduction of the residual between two updates of the limiter
constexpr int most_updates = 16;      // number of updates after which the weights of the limiter are constant
// if new weights change the residual by less than this value, the weights are constant
constexpr double weights_stay = 1e-4;
constexpr double fall_of_rounding = 1e-5;  // reduction of the residual after which the residual is recomputed

}  // namespace

transport_solver::transport_solver(transport_cells& cells)
    : transport_solver(cells, std::make_shared<transport_multigrid>(cells)) {}

transport_solver::transport_solver(transport_cells& cells, std::shared_ptr<transport_multigrid> cycle)
    : cells_(cells), multigrid_(std::move(cycle)) {
  const std::size_t size = at(cells.grid.size), owned = at(cells.grid.owned);
  x_.assign(size, 0);
  z_.assign(size, 0);
  r_.assign(owned, 0);
  right_.assign(owned, 0);
  w_.assign(owned, 0);
}

transport_solver::transport_solver(transport_cells& cells, std::vector<double> start, double taken)
    : transport_solver(cells) {
  x_ = std::move(start);
  taken_ = taken;
}
void transport_solver::restart() { std::fill(x_.begin(), x_.end(), 0.0); }

// Sums of N terms over the owned cells of all ranks. @param term function (begin, end, sums)
template <std::size_t N, class Term>
std::array<double, N> transport_solver::sums(const Term& term) const {
  return block_sums<N>(cells_.grid.where.comm, blocks(), term);
}

double transport_solver::find_residual() {
  const auto sends = part("heat_residual");
  cells_.grid.links.exchange(x_.data());
  cells_.multiply(x_.data(), r_.data());
  for_each(cells_.grid.owned, [r = r_.data(), b = cells_.right.data()](std::int64_t i) { r[i] = b[i] - r[i]; });
  return std::sqrt(sums<1>([&](std::int64_t begin, std::int64_t end, auto& sum) {
    for (std::int64_t i = begin; i < end; ++i) sum[0] += r_[at(i)] * r_[at(i)];
  })[0]);
}

double transport_solver::imbalance() const {
  const auto sends = part("heat_imbalance");
  const double lost = sums<1>([&](std::int64_t begin, std::int64_t end, auto& sum) {
    for (std::int64_t i = begin; i < end; ++i) sum[0] += r_[at(i)];
  })[0];
  // Terms of the heat balance. The terms are faces of the image, inflow and outflow, and sources. Sources are the right-hand
  // side without faces.
  enum : std::size_t { in = 6, out, source, stored, terms, values };
  std::array<double, values> heat{};
  for (const transport_side& s : cells_.sides) {
    const double x = x_[at(s.cell)];
    heat[s.side] += s.conductance * (s.beyond_K - x) + s.heat_W;
    heat[in] += s.brings * s.beyond_K;
    heat[out] += s.takes * x;
    heat[source] -= (s.conductance + s.brings) * s.beyond_K + s.heat_W;
  }
  heat[source] -= cells_.level_W;
  for (const double b : cells_.right) {
    heat[source] += b;
    heat[terms] += std::abs(b);
  }
  for (std::size_t i = 0; i < cells_.held.size(); ++i) {
    heat[source] -= cells_.held[i] * cells_.before[i];
    heat[stored] += cells_.held[i] * (x_[i] - cells_.before[i]);
  }
  const auto all = sum_of_ranks(cells_.grid.where.comm, heat);
  double gross = 0;
  for (std::size_t n = 0; n < terms; ++n) gross += std::abs(all[n]);
  // Rounding error of terms with a sum near zero. This error is significant if almost no heat is transferred.
  constexpr double rounding = 1e-14;
  const double beyond_rounding = std::max(0.0, std::abs(lost) - rounding * all[terms]);
  return gross > 0 ? beyond_rounding / (gross / 2) : 0;
}

double transport_solver::residual_with(heat_convection scheme) {
  cells_.grid.links.exchange(x_.data());
  set_weights(cells_, scheme, x_.data());
  const double now = find_residual();
  return first_ > 0 ? now / first_ : 0;
}

// z = M f. The vector f is in right_.
void transport_solver::precondition() {
  if (!factor_) return multigrid_->apply(right_.data(), z_.data());
  factor_->solve(right_.data(), z_.data());
  cells_.grid.links.exchange(z_.data());
  cells_.multiply(z_.data(), w_.data());
  for_each(cells_.grid.owned, [w = w_.data(), f = right_.data()](std::int64_t i) { w[i] = f[i] - w[i]; });
  multigrid_->apply(w_.data(), coarse_.data());
  for_each(cells_.grid.owned, [z = z_.data(), c = coarse_.data()](std::int64_t i) { z[i] += c[i]; });
}

// The weights are final, and the fluid flows.
void transport_solver::factorise(heat_convection scheme) {
  factor_.reset();
  int flows = 0;
  for (const auto& f : cells_.flow)
    if (std::any_of(f.begin(), f.end(), [](double v) { return v != 0; })) flows = 1;
  comm::all_reduce(cells_.grid.where.comm, &flows, 1, MPI_MAX);
  if (scheme != heat_convection::central || flows == 0) return;
  factor_.emplace(cells_);
  coarse_.assign(z_.size(), 0);
}

// K x = b as a system for numerics::gcr. GCR minimises the residual in double precision.
struct transport_solver::linear_system {
  transport_solver& solver;
  double size_of_r;

  gcr_layout layout() const { return {solver.cells_.grid.where.comm, solver.blocks(), 0}; }
  double weight(std::int64_t) const { return 1; }
  float* direction() const { return solver.z_.data(); }
  float* image() const { return solver.w_.data(); }
  const double* residual() const { return solver.r_.data(); }

  void search() {
    transport_solver& t = solver;
    for_each(t.cells_.grid.owned, [unit = 1 / size_of_r, r = t.r_.data(), f = t.right_.data()](std::int64_t i) {
      f[i] = static_cast<float>(unit * r[i]);
    });
    t.precondition();
    t.cells_.grid.links.exchange(t.z_.data());
    t.cells_.multiply(t.z_.data(), t.w_.data());
  }
  void follow() {}
  double update(const gcr_step& step) {
    transport_solver& t = solver;
    const auto sends = t.part("heat_update");
    const double of_kept = step.alpha * step.length;
    const double square = t.sums<1>([&](std::int64_t begin, std::int64_t end, auto& sum) {
      const float *const z = t.z_.data(), *const w = t.w_.data();
      double *const x = t.x_.data(), *const r = t.r_.data();
      double left = 0;
#pragma omp simd reduction(+ : left)
      for (std::int64_t i = begin; i < end; ++i) {
        step.direction[i] = static_cast<float>(static_cast<double>(z[i]) / step.length);
        step.image[i] = static_cast<float>(static_cast<double>(w[i]) / step.length);
        x[i] += of_kept * static_cast<double>(step.direction[i]);
        r[i] -= of_kept * static_cast<double>(step.image[i]);
        left += r[i] * r[i];
      }
      sum[0] = left;
    })[0];
    return size_of_r = std::sqrt(square);
  }
};

// Iterate GCR until |r| <= to. @return true if |r| <= to
bool transport_solver::reduce(double to, const options& solver_options, solve_certificate& certificate, log_sink& log) {
  constexpr double mostly_rounding = 1e-8;
  gcr<most_kept> recursion(most_kept, mostly_rounding);
  linear_system system{*this, find_residual()};
  double exact = system.size_of_r;
  while (system.size_of_r > to) {
    if (certificate.iterations >= solver_options.max_iterations) return false;
    if (solver_options.checkpoints) solver_options.checkpoints->pass();
    const auto sends = part(recursion.size() == 0 ? "heat_first_iteration" : "heat_iteration");
    const gcr_outcome outcome = recursion.advance(system);
    ++certificate.iterations;
    if (outcome == gcr_outcome::dependent) continue;
    if (outcome == gcr_outcome::not_finite)
      throw solve_error(
          fmt::format("temperature solver: value is not finite in iteration {}; conductivities, velocities or voxel "
                      "spacings exceed single precision; check the units",
                      certificate.iterations));
    if (system.size_of_r <= to || system.size_of_r < fall_of_rounding * exact) {
      exact = system.size_of_r = find_residual();
      ++certificate.restarts;
    }
    const double relative = system.size_of_r / first_;
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-15)) / std::log(solver_options.tolerance), 0.0, 1.0),
                 fmt::format("temperature: iteration {}, relative residual {:.2e}", certificate.iterations, relative));
  }
  return true;
}

void transport_solver::exchange_for_bounds() {
  const auto sends = part("heat_bounds");
  cells_.grid.links.exchange(x_.data());
}

// The limiter is evaluated at a temperature other than the solution, and ignores small changes. The solution may therefore
// slightly exceed its bounds. @param to residual of the solution @return true if the residual of the bounded solution is
// small
bool transport_solver::enforce_bounds(double to, const options& solver_options, solve_certificate& certificate,
                                      log_sink& log) {
  constexpr int most_times = 20;
  const double range = cells_.highest_K - cells_.reference_K;
  for (int n = 0; n < most_times; ++n) {
    exchange_for_bounds();
    const double worst = pin_faces_beyond_bounds(cells_, x_.data());
    if (worst == 0) return true;
    const bool is_of_tolerance = worst <= solver_options.tolerance * range;
    const std::vector<double> beyond = x_;
    for (double& x : x_) x = std::clamp(x, cells_.least, cells_.most);
    // With almost no conduction, overshoots are smaller than the residual that rounding causes.
    if (is_of_tolerance || find_residual() <= to) return true;
    x_ = beyond;
    if (!reduce(std::min(to, 0.1 * find_residual()), solver_options, certificate, log)) return false;
  }
  return true;
}

void transport_solver::update_weights(heat_convection scheme, double taken) {
  const auto sends = part("heat_look");
  cells_.grid.links.exchange(x_.data());
  set_weights(cells_, scheme, x_.data(), taken);
}

void transport_solver::count_messages(heat_convection scheme) {
  set_weights(cells_, scheme == heat_convection::limited ? heat_convection::hybrid : scheme, nullptr);
  factorise(scheme);
  solve_certificate unused;
  options two;
  two.max_iterations = 2;
  std::fill(cells_.right.begin(), cells_.right.end(), 1.0);
  for (int of_right_side = 0; of_right_side < 2; ++of_right_side) sums<1>([](std::int64_t, std::int64_t, auto&) {});
  reduce(0, two, unused, null_log());
  imbalance();
  multigrid_->count_messages();
  if (scheme != heat_convection::limited) return;
  update_weights(scheme, 1);
  if (!cells_.enforces_bounds) return;
  exchange_for_bounds();
  pin_faces_beyond_bounds(cells_, std::vector<double>(x_.size(), cells_.most + 1).data());
  for (auto& faces : cells_.pinned) faces.clear();
}

void transport_solver::solve(heat_convection scheme, const options& solver_options, solve_certificate& certificate,
                             log_sink& log) {
  const stopwatch clock;
  certificate.residual_history.assign(1, 1.0);
  certificate.iterations = certificate.restarts = 0;
  const bool follows = scheme == heat_convection::limited;
  for (auto& faces : cells_.pinned) faces.clear();
  first_ = std::sqrt(sums<1>([&](std::int64_t begin, std::int64_t end, auto& sum) {
    for (std::int64_t i = begin; i < end; ++i) sum[0] += cells_.right[at(i)] * cells_.right[at(i)];
  })[0]);
  if (taken_) {
    cells_.grid.links.exchange(x_.data());
    set_weights(cells_, scheme, x_.data(), follows ? *taken_ : 1);
  } else {
    set_weights(cells_, follows ? heat_convection::hybrid : scheme, nullptr);
  }
  factorise(scheme);
  double scale = sums<1>([&](std::int64_t begin, std::int64_t end, auto& sum) {
    for (std::int64_t i = begin; i < end; ++i) sum[0] += std::abs(cells_.right[at(i)]);
  })[0];
  // All cells have the reference temperature.
  if (constexpr double rounding = 1e-13; !taken_ && first_ <= rounding * scale) {
    certificate.converged = true;
    certificate.solve_seconds = clock.seconds();
    return;
  }
  const double to = solver_options.tolerance * first_;
  const bool updates_weights = follows && !taken_;
  certificate.converged = reduce(updates_weights ? std::max(first_fall * first_, to) : to, solver_options, certificate, log);
  for (int updates = 0; updates_weights && certificate.converged; ++updates) {
    // New weights of the limiter are applied partially with decreasing weight, because complete updates oscillate.
    update_weights(scheme, 1 / std::sqrt(1.0 + updates));
    const double now = find_residual();
    const bool is_last = updates + 1 >= most_updates || now <= weights_stay * first_;
    certificate.converged = reduce(is_last ? to : std::max(to, fall_a_step * now), solver_options, certificate, log);
    if (is_last) break;
  }
  // If good conductors are coupled to poor conductors, the initial residual is large relative to the final heat transfer.
  constexpr int most_times = 8;
  for (int n = 1; certificate.converged; ++n) {
    if (follows && cells_.enforces_bounds) certificate.converged = enforce_bounds(to, solver_options, certificate, log);
    find_residual();
    if (!certificate.converged || imbalance() <= solver_options.tolerance || n > most_times) break;
    certificate.converged = reduce(std::pow(0.1, n) * to, solver_options, certificate, log);
  }
  certificate.true_relative_residual = first_ > 0 ? find_residual() / first_ : 0;
  certificate.solve_seconds = clock.seconds();
}

void transport_solver::step(heat_convection scheme, const std::vector<double>& from, const options& solver_options,
                            solve_certificate& certificate) {
  certificate.residual_history.clear();
  certificate.iterations = certificate.restarts = 0;
  x_ = from;
  cells_.grid.links.exchange(x_.data());
  for (auto& w : cells_.weight) std::fill(w.begin(), w.end(), 0.0F);  // the step has no earlier weights
  set_weights(cells_, scheme, x_.data());
  const auto squares = sums<3>([&](std::int64_t begin, std::int64_t end, auto& sum) {
    for (std::int64_t n = begin; n < end; ++n) {
      const std::size_t i = at(n);
      const double kept = cells_.held[i] * cells_.before[i], comes = cells_.right[i] - kept;
      const double taken_up = cells_.held[i] * (x_[i] - cells_.before[i]);
      sum[0] += comes * comes;
      sum[1] += taken_up * taken_up;
      sum[2] += kept * kept;
    }
  });
  first_ = std::sqrt(std::max(squares[0], squares[1]));
  if (squares[1] == 0) first_ = std::max(first_, find_residual());
  constexpr double rounding = 1e-14;
  const double to = std::max(solver_options.tolerance * first_, rounding * std::sqrt(squares[2]));
  first_ = std::max(first_, to);
  certificate.converged = reduce(to, solver_options, certificate, null_log());
  constexpr int most_times = 8;
  for (int n = 1; certificate.converged && n <= most_times && imbalance() > solver_options.tolerance; ++n)
    certificate.converged =
        reduce(std::max(std::pow(0.1, n) * to, rounding * std::sqrt(squares[2])), solver_options, certificate, null_log());
  certificate.true_relative_residual = first_ > 0 ? find_residual() / first_ : 0;
}

transport_factor::transport_factor(const transport_cells& cells) {
  const std::int32_t owned = cells.grid.owned;
  std::vector<std::array<std::int32_t, 6>> neighbours(at(owned));
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) { neighbours[at(i)] = near; });
  inverse_.reserve(at(owned));
  for (std::int32_t i = 0; i < owned; ++i) {
    std::array<std::pair<std::int32_t, double>, 6> row;  // off-diagonal entries in ascending order
    std::size_t used = 0;
    double diagonal = cells.loose[at(i)], low = 0, high = 0;
    for (std::size_t d = 0; d < 6; ++d) {
      const std::int32_t j = neighbours[at(i)][d];
      if (j < 0) continue;
      const double out = cells.leaves(i, j, d), w = static_cast<double>(cells.weight_of(i, j, d));
      const double a = cells.conductance(i, j, d / 2) + (out < 0 ? -out * (1 - w) : -out * w);
      diagonal += a;
      // The neighbour is the cell itself (in a box of one voxel), or is a cell of another rank.
      if (j == i || j >= owned) continue;
      std::size_t place = used++;
      for (; place > 0 && row[place - 1].first > j; --place) row[place] = row[place - 1];
      row[place] = {j, -a};
      (j < i ? low : high) += std::abs(a);
    }
    std::size_t n = 0;
    for (; n < used && row[n].first < i; ++n) {
      const auto& [j, a] = row[n];
      column_.push_back(j);
      value_.push_back(static_cast<float>(a));
      for (std::int32_t e = middle_[at(j)]; e < begin_[at(j + 1)]; ++e)
        if (column_[at(e)] == i) diagonal -= a * static_cast<double>(value_[at(e)]) * static_cast<double>(inverse_[at(j)]);
    }
    middle_.push_back(static_cast<std::int32_t>(column_.size()));
    for (; n < used; ++n) {
      column_.push_back(row[n].first);
      value_.push_back(static_cast<float>(row[n].second));
    }
    begin_.push_back(static_cast<std::int32_t>(column_.size()));
    const double pivot = std::max({diagonal, low, high});
    inverse_.push_back(pivot > 0 ? static_cast<float>(1 / pivot) : 0.0F);
  }
}

void transport_factor::solve(const float* r, float* x) const {
  const auto owned = static_cast<std::int32_t>(inverse_.size());
  for (std::int32_t i = 0; i < owned; ++i) {
    float sum = r[i];
    for (std::int32_t e = begin_[at(i)]; e < middle_[at(i)]; ++e) sum -= value_[at(e)] * x[column_[at(e)]];
    x[i] = sum * inverse_[at(i)];
  }
  for (std::int32_t i = owned; i-- > 0;) {
    float sum = 0;
    for (std::int32_t e = middle_[at(i)]; e < begin_[at(i + 1)]; ++e) sum += value_[at(e)] * x[column_[at(e)]];
    x[i] -= sum * inverse_[at(i)];
  }
}

}  // namespace osteon::physics
