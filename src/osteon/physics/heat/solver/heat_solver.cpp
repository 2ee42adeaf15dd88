#include <osteon/physics/heat/solver/heat_solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::physics {

namespace {

// Stopping criterion: relative change of the power in the last step divided by the tolerance of the residual.
constexpr double settled = 1e-3;
// Reduction of the residual after which the residual is recomputed because of rounding errors.
constexpr double drop_of_residual = 1e-4;

}  // namespace

heat_solver::heat_solver(const heat_cells& cells) : cells_(cells), stencil_(cells.stencil<double>()), multigrid_(cells) {}

template <class X>
void heat_solver::multiply(std::vector<X>& x, std::vector<float>& y) {
  cells_.links.exchange(x.data());
  float* out = y.data();
  for_each_flux(stencil_, x.data(), [out]<class V>(std::int32_t i, V flux, V) { kernel::put(out + i, flux); });
}

void heat_solver::set_scale(const heat_load& load) {
  scale_ = 0;
  if (load.at_face)
    for (const outer_face& f : cells_.outer) scale_ = std::max(scale_, std::abs(heat(f, load.at_face(f))));
  if (load.in_cell)
    for (std::int32_t i = 0; i < cells_.owned; ++i) scale_ = std::max(scale_, std::abs(load.in_cell(i)));
  comm::all_reduce(cells_.where.comm, &scale_, 1, MPI_MAX);
}

// Compute r = (b - K x) / scale in double precision. @return norm of r
double heat_solver::recompute_residual(const heat_load& load) {
  cells_.links.exchange(x_.data());
  const double unit = 1 / scale_;
  float *high = r_.data(), *low = z_.data();  // these are pairs of floats, because terms nearly cancel on the outer faces
  const auto store = [=](std::int32_t i, double value) {
    high[i] = static_cast<float>(value);
    low[i] = static_cast<float>(value - static_cast<double>(high[i]));
  };
  if (load.in_cell)
    for_each_flux(stencil_, x_.data(),
                  [&, store](std::int32_t i, double flux) { store(i, unit * (load.in_cell(i) - flux)); });
  else
    for_each_flux(stencil_, x_.data(), [=](std::int32_t i, double flux) { store(i, -unit * flux); });
  if (load.at_face)
    for (const outer_face& f : cells_.outer)
      store(f.cell, static_cast<double>(high[f.cell]) + static_cast<double>(low[f.cell]) + unit * heat(f, load.at_face(f)));
  return std::sqrt(total([&](std::int32_t i) { return static_cast<double>(r_[at(i)]) * static_cast<double>(r_[at(i)]); }));
}

// Dissipated power of the solid and of convection films. The power is computed from the load and x, and is exact if K x = b.
double heat_solver::dissipation(const heat_load& load) const {
  double sum = 0;
  if (load.at_face)
    for (const outer_face& f : cells_.outer) {
      const face_drive d = load.at_face(f);
      const bool is_periodic = cells_.periodic[at(f.axis())];
      sum += x_[at(f.cell)] * d.heat_W +
             cells_.conductance(f) * d.rise_K * ((is_periodic ? 0.5 : 1.0) * d.rise_K - x_[at(f.cell)]);
    }
  comm::all_reduce(cells_.where.comm, &sum, 1, MPI_SUM);
  if (load.in_cell) sum += total([&](std::int32_t i) { return load.in_cell(i) * x_[at(i)]; });
  return sum;
}

// Relative error of x.K.x = x.b with a recomputed K x. The error is independent of the recursion. The function overwrites p
// and z. Call this function only after the iteration.
double heat_solver::energy_identity_error(const heat_load& load) {
  cells_.links.exchange(x_.data());
  float *high = p_.data(), *low = z_.data();
  for_each_flux(stencil_, x_.data(), [=](std::int32_t i, double flux) {
    high[i] = static_cast<float>(flux);
    low[i] = static_cast<float>(flux - static_cast<double>(high[i]));
  });
  double xb = 0;
  if (load.at_face)
    for (const outer_face& f : cells_.outer) xb += x_[at(f.cell)] * heat(f, load.at_face(f));
  comm::all_reduce(cells_.where.comm, &xb, 1, MPI_SUM);
  const double difference = total([&](std::int32_t i) {
    const double flux = static_cast<double>(high[i]) + static_cast<double>(low[i]);
    return x_[at(i)] * (flux - (load.in_cell ? load.in_cell(i) : 0));
  });
  const double xr = scale_ * total([&](std::int32_t i) { return x_[at(i)] * static_cast<double>(r_[at(i)]); });
  return std::abs(difference - xb) / std::abs(dissipation(load) - xr);
}

double heat_solver::precondition() {
  multigrid_.apply(r_.data(), z_.data());
  return total(
      [r = r_.data(), z = z_.data()](std::int32_t i) { return static_cast<double>(r[i]) * static_cast<double>(z[i]); });
}

double heat_solver::search(double beta) {
  for_each(cells_.owned,
           [p = p_.data(), z = z_.data(), b = static_cast<float>(beta)](std::int64_t i) { p[i] = z[i] + b * p[i]; });
  multiply(p_, z_);
  return total(
      [p = p_.data(), q = z_.data()](std::int32_t i) { return static_cast<double>(p[i]) * static_cast<double>(q[i]); });
}

double heat_solver::step(double alpha) {
  return std::sqrt(
      total([=, length = scale_ * alpha, x = x_.data(), r = r_.data(), p = p_.data(), q = z_.data()](std::int32_t i) {
        x[i] += length * static_cast<double>(p[i]);
        r[i] = static_cast<float>(static_cast<double>(r[i]) - alpha * static_cast<double>(q[i]));
        return static_cast<double>(r[i]) * static_cast<double>(r[i]);
      }));
}

kernel_work heat_solver::work_of_iteration() const {
  // Work of r.z, p, K p, p.q, and of x and r with r.r.
  constexpr double bytes = 8 + 12 + 9 + 8 + 32, operations = 2 + 2 + 26 + 2 + 6;
  const auto owned = static_cast<double>(cells_.owned);
  return multigrid_.work_of_cycle() + kernel_work{bytes * owned, operations * owned};
}

// State for a checkpoint. The state is the running iteration, or the solution with its residual.
solver_state heat_solver::state(const voxel::run_set& points, bool is_running) {
  const auto owned = [&](auto& of) { return std::span(of).first(at(cells_.owned)); };
  solver_state s{"conduction", cells_.where, &points, false, {}, {}};
  const grid::node_layout one{1, 0, 1};
  s.vectors = {{"temperature", owned(x_), one}, {"residual", owned(r_), one}};
  if (is_running) s.vectors.push_back({"direction", owned(p_), one});
  return s;
}

std::vector<double>& heat_solver::solve(const heat_load& load, const options& options, solve_certificate& certificate,
                                        log_sink& log, const voxel::run_set* points) {
  const stopwatch clock;
  options.begin(solve_part::load);
  x_.assign(size(), 0.0);
  for (auto* v : {&r_, &p_, &z_}) v->assign(size(), 0.0F);
  certificate.residual_history.assign(1, 1.0);
  certificate.iterations = certificate.restarts = 0;
  certificate.converged = false;
  certificate.true_relative_residual = certificate.energy_identity_error = 0;
  certificate.work = {};
  set_scale(load);
  if (scale_ == 0) {
    certificate.converged = true;
    return x_;
  }
  const double r0 = recompute_residual(load);
  if (constexpr double rounding = 1e-13; r0 <= rounding) {  // the inflow leaves through the same cell
    certificate.converged = true;
    return x_;
  }
  recursion_.restart();
  double exact = 1;
  checkpointer* const checkpoints = points ? options.checkpoints : nullptr;
  const auto saved = [&](bool is_running) {
    solver_state s = state(*points, is_running);
    s.numbers = {{"recursion", {recursion_.rz(), exact}},
                 {"iterations", {static_cast<double>(certificate.iterations)}},
                 {"converged", {static_cast<double>(certificate.converged)}},
                 {"residual_history", certificate.residual_history},
                 {"seconds", {certificate.earlier_seconds + clock.seconds()}}};
    return s;
  };
  certificate.earlier_seconds = 0;
  const auto found = checkpoints ? checkpoints->begin() : checkpointer::found::nothing;
  if (found != checkpointer::found::nothing) {
    solver_state s = saved(found == checkpointer::found::running);
    checkpoints->restore(s);
    if (found == checkpointer::found::running) recursion_.resume(s.numbers.at("recursion").at(0));
    exact = s.numbers.at("recursion").at(1);
    certificate.iterations = static_cast<int>(s.numbers.at("iterations").at(0));
    certificate.converged = s.numbers.at("converged").at(0) != 0;
    certificate.residual_history = s.numbers.at("residual_history");
    certificate.earlier_seconds = s.numbers.at("seconds").at(0);
  }
  const int first = certificate.iterations;
  bool is_exact = certificate.converged;  // true if the residual has been computed from x
  while (!certificate.converged && certificate.iterations < options.max_iterations) {
    options.begin(solve_part::iteration);
    const auto step = recursion_.advance(*this);
    double relative = step ? step->residual / r0 : NAN;
    ++certificate.iterations;
    is_exact = false;
    if (!std::isfinite(relative))
      throw solve_error(fmt::format(
          "heat solver: value not finite in iteration {}; conductivities or voxel spacings exceed single precision, "
          "check their units",
          certificate.iterations));
    // The residual does not bound the error of the flux through thin struts. The decrease of the dissipated power in a step
    // is an estimate of the remaining decrease. If the power or the residual has the size of rounding errors, the estimate
    // is zero.
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    const bool seems_done = relative <= options.tolerance &&
                            (relative <= rounding || scale_ * scale_ * step->energy_decrease <=
                                                         settled * options.tolerance * std::abs(dissipation(load)));
    if (seems_done || relative < drop_of_residual * exact) {
      ++certificate.restarts;
      options.begin(solve_part::restart);
      exact = relative = recompute_residual(load) / r0;
      is_exact = true;
      certificate.converged = seems_done && relative <= options.tolerance;
    }
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, options.tolerance)) / std::log(options.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", certificate.iterations, relative));
    if (checkpoints && !certificate.converged && checkpoints->is_due(certificate.iterations)) checkpoints->save(saved(true));
  }
  if (checkpoints) checkpoints->finish(saved(false));
  certificate.work = ((certificate.iterations - first) * work_of_iteration()).of_all_ranks(cells_.where.comm);
  if (!is_exact) {
    options.begin(solve_part::restart);
    recompute_residual(load);
  }
  options.begin(solve_part::load);
  certificate.energy_identity_error = energy_identity_error(load);
  certificate.true_relative_residual =
      std::sqrt(total([&](std::int32_t i) { return static_cast<double>(r_[at(i)]) * static_cast<double>(r_[at(i)]); })) / r0;
  return x_;
}

}  // namespace osteon::physics
