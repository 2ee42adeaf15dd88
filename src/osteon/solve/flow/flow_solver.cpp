#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/solve/flow/flow_solver.hpp>
#include <osteon/solve/flow/flow_sums.hpp>

namespace osteon::solve {

namespace {

constexpr std::size_t most_kept = 6;  // with less, open images do not converge
constexpr double drop_exact = 0.03;   // fall of |s| after which rounding might be felt

// The preconditioner's blocks lie this near to the exact inverses: measured on packs, sponges and ducts, with a reserve.
constexpr double quality = 4;

}  // namespace

flow_solver::flow_solver(const flow_cells& cells)
    : cells_(cells), single_(cells.stencil<float>()), double_(cells.stencil<double>()), preconditioner_(cells) {}

double flow_solver::open_work(std::size_t axis) const {
  double half = 0;
  if (static_cast<int>(axis) == cells_.through)
    for (const kernel::stokes_open_face& f : cells_.open_faces) half += x_[axis * at(cells_.stride()) + at(f.cell)] / 2;
  return half;
}

// v = K p.
void flow_solver::multiply() {
  const std::int64_t stride = cells_.stride();
  for (std::int64_t c = 0; c < 4; ++c) cells_.grid.links.exchange(p_.data() + c * stride);
  for_each_stokes(single_, p_.data(), {}, [v = v_.data(), stride]<class V>(int c, std::int32_t i, V value) {
    kernel::put(v + c * stride + i, value);
  });
}

// r = b - K x, computed in double.
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
  auto s = sum_blocks<4>(cells_.grid.owned, [&](std::int64_t c, std::int64_t begin, std::int64_t count, auto& sum) {
    const double* const x = x_.data() + c * stride + begin;
    const float* const r = r_.data() + c * stride + begin;
    double work = 0, square = 0, product = 0;
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

void flow_solver::find_column(flow_direction& answer) const {
  const double scale = cells_.unit_mm * cells_.unit_mm / static_cast<double>(cells_.voxels);
  for (std::size_t c = 0; c < 3; ++c) {
    const double* const u = x_.data() + static_cast<std::int64_t>(c) * cells_.stride();
    const double sum = reduce_blocks(cells_.grid.owned, [&](std::int64_t begin, std::int64_t end) {
      double part = 0;
      for (std::int64_t i = begin; i < end; ++i) part += u[i];
      return part;
    });
    answer.column_mm2[c] = scale * (sum - open_work(c));
  }
  answer.column_mm2 = all_ranks(answer.column_mm2);
}

double flow_solver::mixed_permeability(std::size_t axis, const std::vector<float>& earlier) const {
  const std::int64_t stride = cells_.stride(), owned = cells_.grid.owned;
  auto s = sum_blocks<1>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t count, auto& sum) {
    const double* const x = x_.data() + c * stride + begin;
    const float *const r = r_.data() + c * stride + begin, *const other = earlier.data() + c * owned + begin;
    for (std::int64_t i = 0; i < count; ++i) sum[0] += static_cast<double>(other[i]) * static_cast<double>(r[i]);
    if (c == static_cast<std::int64_t>(axis))
      for (std::int64_t i = 0; i < count; ++i) sum[0] += x[i];
  });
  s[0] -= open_work(axis);
  return all_ranks(s)[0] / static_cast<double>(cells_.voxels);
}

void flow_solver::solve(const flow_options& how, flow_direction& answer, log_sink& log) {
  const stopwatch clock;
  const std::int64_t stride = cells_.stride(), owned = cells_.grid.owned;
  axis_ = at(static_cast<int>(answer.along));
  solve_certificate& certificate = answer.certificate;
  x_.assign(at(4 * stride), 0.0);
  for (auto* v : {&r_, &s_, &p_, &v_, &w_}) v->assign(at(4 * stride), 0.0F);
  kept_.clear();
  const double scale = cells_.unit_mm * cells_.unit_mm / static_cast<double>(cells_.voxels);

  const double first = std::sqrt(recompute_residual());
  progress now = sums();
  double exact = 1, relative = 1;  // at the last exact residual; now
  certificate.residual_history.assign(1, 1.0);
  certificate.iterations = 0;
  certificate.converged = false;
  const auto is_done = [&](const energies& e) {
    const double flux = now.work, dissipation = now.work - now.momentum + now.mass,
                 best = now.work + now.momentum + now.mass;
    answer.permeability_mm2 = scale * best;
    answer.from_flux_mm2 = scale * flux;
    answer.from_dissipation_mm2 = scale * dissipation;
    answer.low_mm2 = scale * (best - quality * e.mass);
    answer.high_mm2 = scale * (best + quality * e.momentum);
    const auto [low, high] = std::minmax({best - quality * e.mass, best + quality * e.momentum, flux, dissipation});
    return high - low <= how.permeability_tolerance * best && relative <= how.residual_tolerance;
  };
  preconditioner_.apply(r_.data(), s_.data());
  // What a velocity counts in the norm of s beside a pressure: all together as much, in the first s. Straight channels have
  // no pressure but rounding, which must not be all that counts.
  const auto start = squares_of_s();
  const double unit = std::max(std::sqrt(start[1] / start[0]), 0.1);
  double size_of_s = std::sqrt(unit * unit * start[0] + start[1]), refreshed = size_of_s;  // |s| now; when it was last exact
  bool stands_still = false;
  const auto refresh = [&] {
    exact = relative = std::sqrt(recompute_residual()) / first;
    now = sums();
    preconditioner_.apply(r_.data(), s_.data());
    const auto squares = squares_of_s();
    size_of_s = refreshed = std::sqrt(unit * unit * squares[0] + squares[1]);
  };
  for (;;) {
    p_ = s_;
    multiply();
    if (is_done(find_energies())) {
      if (exact == relative) {
        certificate.converged = true;
        break;
      }
      refresh();
      continue;
    }
    if (certificate.iterations >= how.max_iterations) break;
    if (how.poll) how.poll();

    if (stands_still) {
      // s is orthogonal to its own image, and would come again. The last image leads on.
      p_ = w_;
      multiply();
    }
    preconditioner_.apply(v_.data(), w_.data());
    const std::size_t kept = kept_.size();
    double before = 0;  // |w|^2 with its part along the kept ones
    if (kept > 0) {
      const auto a =
          all_ranks(sum_blocks<most_kept + 1>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
            const double weight = c < 3 ? unit * unit : 1;
            for (std::size_t k = 0; k < kept; ++k) {
              const float *const w = w_.data() + c * stride + begin, *const other = kept_[k].w.data() + c * owned + begin;
              double dot = 0;
              for (std::int64_t i = 0; i < n; ++i) dot += static_cast<double>(w[i]) * static_cast<double>(other[i]);
              sum[k] = weight * dot;
            }
            const float* const w = w_.data() + c * stride + begin;
            for (std::int64_t i = 0; i < n; ++i)
              sum[most_kept] += weight * static_cast<double>(w[i]) * static_cast<double>(w[i]);
          }));
      before = a[most_kept];
      sum_blocks<1>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto&) {
        for (std::size_t k = 0; k < kept; ++k) {
          const auto factor = static_cast<float>(-a[k]);
          float *const w = w_.data() + c * stride + begin, *const p = p_.data() + c * stride + begin;
          const float *const old_w = kept_[k].w.data() + c * owned + begin, *const old_p =
                                                                                kept_[k].p.data() + c * owned + begin;
          for (std::int64_t i = 0; i < n; ++i) w[i] += factor * old_w[i], p[i] += factor * old_p[i];
        }
      });
      multiply();
    }
    const auto d = all_ranks(sum_blocks<2>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
      const float *const w = w_.data() + c * stride + begin, *const s = s_.data() + c * stride + begin;
      const double weight = c < 3 ? unit * unit : 1;
      double ww = 0, ws = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        ww += static_cast<double>(w[i]) * static_cast<double>(w[i]);
        ws += static_cast<double>(w[i]) * static_cast<double>(s[i]);
      }
      sum = {weight * ww, weight * ws};
    }));
    const double step = d[1] / d[0];
    ++certificate.iterations;
    if (constexpr double mostly_rounding = 1e-4; d[0] < mostly_rounding * before) {
      kept_.clear();  // they span this direction, too
      stands_still = false;
      refresh();
      continue;
    }
    if (!std::isfinite(step))
      throw solve_error(
          fmt::format("the flow solver met a value that is not finite in iteration {}: voxels are far from cubes, or "
                      "the image has channels that single precision cannot hold; resample it",
                      certificate.iterations));
    if (kept < most_kept)
      kept_.push_back({std::vector<float>(at(4 * owned)), std::vector<float>(at(4 * owned))});
    else
      std::rotate(kept_.begin(), kept_.begin() + 1, kept_.end());
    direction& newest = kept_.back();
    const auto length = static_cast<float>(1 / std::sqrt(d[0]));
    auto t = sum_blocks<5>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
      const float *const w = w_.data() + c * stride + begin, *const p = p_.data() + c * stride + begin,
                         *const v = v_.data() + c * stride + begin;
      float *const r = r_.data() + c * stride + begin, *const s = s_.data() + c * stride + begin;
      double* const x = x_.data() + c * stride + begin;
      float *const kept_w = newest.w.data() + c * owned + begin, *const kept_p = newest.p.data() + c * owned + begin;
      double work = 0, square = 0, product = 0, ss = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        kept_w[i] = length * w[i];
        kept_p[i] = length * p[i];
        x[i] += step * static_cast<double>(p[i]);
        s[i] = static_cast<float>(static_cast<double>(s[i]) - step * static_cast<double>(w[i]));
        r[i] = static_cast<float>(static_cast<double>(r[i]) - step * static_cast<double>(v[i]));
        ss += static_cast<double>(s[i]) * static_cast<double>(s[i]);
        const auto own = static_cast<double>(r[i]);
        square += own * own;
        product += own * x[i];
        work += x[i];
      }
      sum[0] = square;
      if (c == static_cast<std::int64_t>(axis_)) sum[1] = work;
      sum[c == 3 ? 3 : 2] = product;
      sum[4] = (c < 3 ? unit * unit : 1) * ss;
    });
    t[1] -= open_work(axis_);
    t = all_ranks(t);
    stands_still = std::sqrt(t[4]) > 0.99 * size_of_s;
    size_of_s = std::sqrt(t[4]);
    now = {t[0], t[1], t[2], t[3]};
    relative = std::sqrt(now.residual) / first;
    if (size_of_s < drop_exact * refreshed) {
      refresh();
    }
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-4)) / std::log(1e-4), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}, permeability {:.5g} mm2", certificate.iterations,
                             relative, scale * (now.work + now.momentum + now.mass)));
  }
  if (exact != relative) relative = std::sqrt(recompute_residual()) / first;
  certificate.true_relative_residual = relative;
  certificate.energy_identity_error =
      std::abs(answer.from_flux_mm2 - answer.from_dissipation_mm2) / std::abs(answer.permeability_mm2);
  find_column(answer);
  certificate.solve_seconds = clock.seconds();
}

// Squares of s: of the velocities, of the pressure.
std::array<double, 2> flow_solver::squares_of_s() const {
  const std::int64_t stride = cells_.stride();
  return all_ranks(sum_blocks<2>(cells_.grid.owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const float* const own = s_.data() + c * stride + begin;
    for (std::int64_t i = 0; i < n; ++i) sum[c == 3 ? 1 : 0] += static_cast<double>(own[i]) * static_cast<double>(own[i]);
  }));
}

// Of the residual, from s = P r and, in v, K s.
flow_solver::energies flow_solver::find_energies() const {
  const std::int64_t stride = cells_.stride();
  const auto e =
      all_ranks(sum_blocks<2>(cells_.grid.owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
        const float *const r = r_.data() + c * stride + begin, *const s = s_.data() + c * stride + begin,
                           *const v = v_.data() + c * stride + begin;
        if (c < 3)
          for (std::int64_t i = 0; i < n; ++i) sum[0] += static_cast<double>(r[i]) * static_cast<double>(s[i]);
        else
          for (std::int64_t i = 0; i < n; ++i)
            sum[1] += (static_cast<double>(v[i]) - static_cast<double>(r[i])) * static_cast<double>(s[i]);
      }));
  return {e[0], e[1]};
}

}  // namespace osteon::solve
