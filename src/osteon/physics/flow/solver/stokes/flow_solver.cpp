#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/numerics/krylov/bramble_pasciak.hpp>
#include <osteon/physics/flow/solver/stokes/flow_solver.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr double drop_exact = 0.03;  // reduction of s after which rounding errors may be significant

// Scaling of the velocity cycles: margin above the estimate from a few steps, and factor by which an insufficient scaling is
// increased.
constexpr double scale_reserve = 1.15, scale_growth = 1.3;
constexpr int most_scalings = 8;
constexpr int patience = 40;  // number of iterations without a decrease of the residual

// Spectral distance between the blocks of the preconditioner and the exact inverses. The distance was measured with packs,
// sponges and ducts, and includes a safety margin.
constexpr double quality = 4;

}  // namespace

flow_solver::flow_solver(const flow_cells& cells, double velocity_scale)
    : cells_(cells),
      single_(cells.stencil<float>()),
      double_(cells.stencil<double>()),
      preconditioner_(cells),
      velocity_scale_(static_cast<float>(velocity_scale > 0 ? velocity_scale
                                                            : scale_reserve / preconditioner_.least_velocity_eigenvalue())) {
}

double flow_solver::open_work(std::size_t axis) const {
  double half = 0;
  if (static_cast<int>(axis) == cells_.through)
    for (const kernel::stokes_open_face& f : cells_.open_faces) half += x_[axis * at(cells_.stride()) + at(f.cell)] / 2;
  return half;
}

// v = K s.
void flow_solver::multiply() {
  const std::int64_t stride = cells_.stride();
  for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(s_.data() + c * stride);
  for_each_stokes(single_, s_.data(), {}, [v = v_.data(), stride]<class V>(int c, std::int32_t i, V value) {
    kernel::put(v + c * stride + i, value);
  });
}

// r = b - K x in double precision.
double flow_solver::recompute_residual() {
  const std::int64_t stride = cells_.stride();
  for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(x_.data() + c * stride);
  std::array<double, 3> force{};
  force[axis_] = 1;
  for_each_stokes(double_, x_.data(), force, [r = r_.data(), stride]<class V>(int c, std::int32_t i, V value) {
    kernel::put(r + c * stride + i, -value);
  });
  return sums().residual;
}

flow_solver::progress flow_solver::sums() const {
  const std::int64_t stride = cells_.stride();
  auto s = block_sums<4>({cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t count, auto& sum) {
    const double* const x = x_.data() + c * stride + begin;
    const float* const r = r_.data() + c * stride + begin;
    double work = 0, square = 0, product = 0;
#pragma omp simd reduction(+ : work, square, product)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto own = static_cast<double>(r[i]);
      square += own * own;
      product += own * x[i];
      work += x[i];
    }
    sum[0] = square;
    if (c == static_cast<std::int64_t>(axis_)) sum[1] = work;
    sum[c == 3 ? 3 : 2] = product;
  });
  s[1] -= open_work(axis_);
  s = all_ranks(s);
  return {s[0], s[1], s[2], s[3]};
}

// Factor between a mean velocity in units of voxels and the permeability [mm2].
double flow_solver::permeability_scale() const {
  return cells_.unit_mm * cells_.unit_mm / static_cast<double>(cells_.voxels);
}

void flow_solver::find_column(flow_direction& answer) const {
  for (std::size_t c = 0; c < 3; ++c) {
    const double* const u = x_.data() + static_cast<std::int64_t>(c) * cells_.stride();
    const double sum = reduce_blocks(cells_.grid.owned, [&](std::int64_t begin, std::int64_t end) {
      double part = 0;
      for (std::int64_t i = begin; i < end; ++i) part += u[i];
      return part;
    });
    answer.column_mm2[c] = permeability_scale() * (sum - open_work(c));
  }
  answer.column_mm2 = all_ranks(answer.column_mm2);
}

kept_answer flow_solver::keep_answer() const {
  const std::int64_t stride = cells_.stride(), owned = cells_.grid.owned;
  kept_answer kept(at(4 * owned));
  for (std::int64_t c = 0; c < 4; ++c)
    for_each(owned, [to = kept.data() + c * owned, x = x_.data() + c * stride](std::int64_t i) {
      to[i] = shortened(static_cast<float>(x[i]));
    });
  return kept;
}

double flow_solver::mixed_permeability(std::size_t axis, const kept_answer& earlier) const {
  const std::int64_t stride = cells_.stride(), owned = cells_.grid.owned;
  auto s = block_sums<1>({owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t count, auto& sum) {
    const double* const x = x_.data() + c * stride + begin;
    const float* const r = r_.data() + c * stride + begin;
    const std::uint16_t* const other = earlier.data() + c * owned + begin;
    double product = 0;
#pragma omp simd reduction(+ : product)
    for (std::int64_t i = 0; i < count; ++i)
      product += static_cast<double>(lengthened(other[i])) * static_cast<double>(r[i]);
    sum[0] = product;
    if (c == static_cast<std::int64_t>(axis))
      for (std::int64_t i = 0; i < count; ++i) sum[0] += x[i];
  });
  s[0] -= open_work(axis);
  return all_ranks(s)[0] / static_cast<double>(cells_.voxels);
}

kernel_work flow_solver::work_of_iteration() const {
  // The product K s reads four values and three bytes of friction, and writes four values. Each row of K has about eight
  // entries. For each of the four components, the iteration also processes (s, s) and bounds, p and w, (P K d, d), and x, s,
  // r with their sums.
  constexpr double bytes = 36 + 4 * (12 + 24 + 12 + 44), operations = 4 * 16 + 4 * (4 + 4 + 3 + 11);
  const auto owned = static_cast<double>(cells_.grid.owned);
  return preconditioner_.work() + kernel_work{bytes * owned, operations * owned};
}

double flow_solver::precondition() {
  multiply();
  of_residual_ = products_of_residual();
  return of_residual_.square;
}

double flow_solver::search(double beta) {
  const std::int64_t stride = cells_.stride(), owned = cells_.grid.owned;
  turn_direction(owned, stride, static_cast<float>(beta), s_, v_, p_, w_);
  std::vector<float>& q = v_;  // this vector receives P w, because w contains K s here
  preconditioner_.apply(w_.data(), q.data(), velocity_scale_);
  return all_ranks(std::array{square_of_preconditioned(owned, stride, p_, w_, q)})[0];
}

double flow_solver::step(double alpha) {
  const std::int64_t stride = cells_.stride();
  auto t = block_sums<4>({cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const float *const w = w_.data() + c * stride + begin, *const p = p_.data() + c * stride + begin,
                       *const q = v_.data() + c * stride + begin;
    float *const r = r_.data() + c * stride + begin, *const s = s_.data() + c * stride + begin;
    double* const x = x_.data() + c * stride + begin;
    double work = 0, norm = 0, product = 0;
#pragma omp simd reduction(+ : work, norm, product)
    for (std::int64_t i = 0; i < n; ++i) {
      x[i] += alpha * static_cast<double>(p[i]);
      s[i] = static_cast<float>(static_cast<double>(s[i]) - alpha * static_cast<double>(q[i]));
      r[i] = static_cast<float>(static_cast<double>(r[i]) - alpha * static_cast<double>(w[i]));
      const auto own = static_cast<double>(r[i]);
      norm += own * own;
      product += own * x[i];
      work += x[i];
    }
    sum[0] = norm;
    if (c == static_cast<std::int64_t>(axis_)) sum[1] = work;
    sum[c == 3 ? 3 : 2] = product;
  });
  t[1] -= open_work(axis_);
  t = all_ranks(t);
  now_ = {t[0], t[1], t[2], t[3]};
  return std::sqrt(now_.residual);
}

// Store the values of the permeability in the solution. @return largest relative difference between the values
double flow_solver::find_bounds(const energies& e, flow_direction& answer) const {
  const double scale = permeability_scale();
  const double flux = now_.work, dissipation = now_.work - now_.momentum + now_.mass,
               best = now_.work + now_.momentum + now_.mass;
  answer.permeability_mm2 = scale * best;
  answer.from_flux_mm2 = scale * flux;
  answer.from_dissipation_mm2 = scale * dissipation;
  answer.low_mm2 = scale * (best - quality * e.mass);
  answer.high_mm2 = scale * (best + quality * e.momentum);
  const auto [low, high] = std::minmax({best - quality * e.mass, best + quality * e.momentum, flux, dissipation});
  return best > 0 ? (high - low) / best : std::numeric_limits<double>::infinity();
}

void flow_solver::solve(const flow_options& options, flow_direction& answer, log_sink& log) {
  const stopwatch clock;
  const cpu_clock cpu;
  const std::int64_t stride = cells_.stride();
  axis_ = at(static_cast<int>(answer.along));
  solve_certificate& certificate = answer.certificate;
  x_.assign(at(4 * stride), 0.0);
  for (auto* v : {&r_, &s_, &p_, &v_, &w_}) v->assign(at(4 * stride), 0.0F);

  const int most = options.counts_messages ? 1 : options.max_iterations;
  const double first = std::sqrt(recompute_residual());
  now_ = sums();
  // Relative difference at the last exact residual, at present, and smallest of all.
  double exact = 1, relative = 1, least = 1;
  certificate.residual_history.assign(1, 1.0);
  certificate.iterations = 0;
  certificate.converged = false;
  // The energies that need no additional computation are too large by an unknown factor. Near convergence, this factor is
  // recomputed.
  double exact_check_threshold = 20 * options.permeability_tolerance;
  const auto is_done = [&](const energies& bounds) {
    const double width = find_bounds(bounds, answer);
    if (relative > options.residual_tolerance) return false;
    if (width <= options.permeability_tolerance) return true;
    if (width > exact_check_threshold) return false;
    const double exactly = [&] {
      const auto sends = part("energies");
      return find_bounds(measure_energies(), answer);
    }();
    exact_check_threshold = width * options.permeability_tolerance / exactly;
    return exactly <= options.permeability_tolerance;
  };
  cg recursion;
  double refreshed = 0;  // |s| at the last exact computation
  int scalings = 0, idle = 0;
  const auto refresh = [&] {
    const auto sends = part("restart");
    exact = relative = std::sqrt(recompute_residual()) / first;
    now_ = sums();
    preconditioner_.apply(r_.data(), s_.data(), velocity_scale_);
    refreshed = 0;
  };
  // The bilinear form is not an inner product, because M > A for some velocities.
  const auto rescale = [&] {
    if (++scalings > most_scalings)
      throw solve_error(fmt::format(
          "the flow solver did not find a scale of the preconditioner in {} trials (the last one in iteration {}); the "
          "voxels are strongly anisotropic, or the channels exceed single precision; resample the image",
          most_scalings, certificate.iterations));
    velocity_scale_ *= static_cast<float>(scale_growth);
    if (!(relative <= 1)) std::fill(x_.begin(), x_.end(), 0.0);
    refresh();
    least = relative;
    idle = 0;
    recursion.restart();
  };
  preconditioner_.apply(r_.data(), s_.data(), velocity_scale_);
  for (;;) {
    auto sends = part("iteration");
    const double square = recursion.begin(*this);
    if (is_done(of_residual_.bounds)) {
      sends.becomes("look" + ending_);
      if (exact == relative) {
        certificate.converged = true;
        break;
      }
      refresh();
      recursion.restart();
      continue;
    }
    if (certificate.iterations >= most) {
      sends.becomes("look" + ending_);
      break;
    }
    if (options.poll) options.poll();
    if (!(square > 0)) {
      sends.becomes("iteration_without_size" + ending_);
      rescale();
      continue;
    }
    if (refreshed == 0) refreshed = std::sqrt(square);
    const auto made = recursion.finish(*this);
    ++certificate.iterations;
    if (!made) {
      sends.becomes("iteration_without_step" + ending_);
      rescale();
      continue;
    }
    relative = made->residual / first;
    idle = relative < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, relative);
    certificate.residual_history.push_back(relative);
    if (idle > patience && scalings < most_scalings)
      rescale();
    else if (std::sqrt(square) < drop_exact * refreshed)
      refresh();  // only rounding reduces the conjugacy of directions; a restart would cost additional iterations
    log.progress(std::clamp(std::log(std::max(relative, 1e-4)) / std::log(1e-4), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}, permeability {:.5g} mm2", certificate.iterations,
                             relative, permeability_scale() * (now_.work + now_.momentum + now_.mass)));
  }
  if (exact != relative) {
    const auto sends = part("last_residual");
    relative = std::sqrt(recompute_residual()) / first;
  }
  if (options.counts_messages) count_other_messages();
  certificate.true_relative_residual = relative;
  certificate.energy_identity_error =
      std::abs(answer.from_flux_mm2 - answer.from_dissipation_mm2) / std::abs(answer.permeability_mm2);
  find_column(answer);
  certificate.solve_seconds = clock.seconds();
  const MPI_Comm comm = cells_.grid.where.comm;
  certificate.solve_cpu_seconds = cpu.of_all_ranks(comm);
  certificate.work = (certificate.iterations * work_of_iteration()).of_all_ranks(comm);
}

// Execute each remaining communication of a solve once with arbitrary values.
void flow_solver::count_other_messages() {
  const auto sum = [&] { all_ranks(std::array{0.0}); };
  const auto as = [&](const char* name, auto send) {
    const auto sends = part(name);
    send();
  };
  const auto bound = [&] { multiply(), products_of_residual(); };
  const auto restart = [&] { recompute_residual(), sums(), preconditioner_.apply(r_.data(), s_.data(), velocity_scale_); };
  as("look", bound);
  as("energies", [&] { measure_energies(); });
  as("restart", restart);
  as("last_residual", [&] { recompute_residual(); });
  as("iteration_without_size", bound);
  as("iteration_without_step", [&] { bound(), preconditioner_.apply(w_.data(), v_.data(), velocity_scale_), sum(); });
}

// Energies of the residual. The energies are computed with an unscaled product with P. The product overwrites K s. K s is
// therefore recomputed.
flow_solver::energies flow_solver::measure_energies() {
  preconditioner_.apply(r_.data(), v_.data());
  const std::int64_t stride = cells_.stride();
  const float* const mass = preconditioner_.right_side_of_pressure();
  const auto e =
      all_ranks(block_sums<2>({cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
        const float *const r = (c < 3 ? r_.data() + c * stride : mass) + begin, *const q = v_.data() + c * stride + begin;
        double energy = 0;
#pragma omp simd reduction(+ : energy)
        for (std::int64_t i = 0; i < n; ++i) energy += static_cast<double>(r[i]) * static_cast<double>(q[i]);
        sum[c < 3 ? 0 : 1] = energy;
      }));
  multiply();
  return {e[0], e[1]};
}

flow_solver::inner_products flow_solver::products_of_residual() const {
  const std::int64_t stride = cells_.stride();
  const auto e =
      all_ranks(block_sums<3>({cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
        const float *const r = r_.data() + c * stride + begin, *const s = s_.data() + c * stride + begin,
                           *const v = v_.data() + c * stride + begin;
        double residual = 0, product = 0;
#pragma omp simd reduction(+ : residual, product)
        for (std::int64_t i = 0; i < n; ++i) {
          residual += static_cast<double>(r[i]) * static_cast<double>(s[i]);
          product += static_cast<double>(v[i]) * static_cast<double>(s[i]);
        }
        sum[0] = c < 3 ? product - residual : -residual;
        sum[c < 3 ? 1 : 2] = c < 3 ? residual : product - residual;
      }));
  // s contains the scale t of the velocities. q' = t G^T M^-1 r_u - r_p differs from q by (t - 1) G^T M^-1 r_u. The energy
  // of G^T M^-1 r_u is at most the energy of r_u, because G S^-1 G^T is a projection in A.
  const double t = velocity_scale_, momentum = std::max(e[1], 0.0) / t;
  const double mass = std::sqrt(std::max(e[2], 0.0)) + std::abs(t - 1) * std::sqrt(momentum);
  return {e[0], {momentum, mass * mass}};
}

}  // namespace osteon::physics
