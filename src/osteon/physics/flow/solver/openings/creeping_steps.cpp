#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/numerics/krylov/bramble_pasciak.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/through_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr double creeping_drop = 0.03;  // fall of the size of s after which rounding might be felt
constexpr double creeping_growth = 1.3;
constexpr int most_creeping_scalings = 8;
constexpr int rehearsed_iterations = 4;  // until fluid moves along all axes, which carries heat
constexpr int creeping_patience = 40;    // iterations without a fall of |s|

}  // namespace

// K s reads four values and three bytes of friction and writes four; of each of the four then (r, K s), p and w, (p, P w),
// and x, s, r with their sums.
kernel_work through_solver::work_of_creeping_iteration() const {
  constexpr double bytes = 36 + 4 * (12 + 24 + 12 + 44), operations = 4 * 16 + 4 * (3 + 4 + 3 + 10);
  const auto owned = static_cast<double>(cells_.grid.owned);
  return preconditioner_.work() + kernel_work{bytes * owned, operations * owned};
}

// Creeping flow as a system of numerics::cg, as in flow_solver: conjugate gradients for P K in the inner product of P. Given
// velocities are in x and are no unknowns, so that all that is added to x is zero there.
struct through_solver::creeping_system {
  through_solver& solver;
  double of_answer = 0;  // size of x after a step

  double precondition() {
    through_solver& t = solver;
    t.multiply(t.s_);
    return t.all_ranks(std::array{square_of_preconditioned(t.cells_.grid.owned, t.cells_.stride(), t.r_, t.s_, t.v_)})[0];
  }
  double search(double beta) {
    through_solver& t = solver;
    const std::int64_t stride = t.cells_.stride(), owned = t.cells_.grid.owned;
    turn_direction(owned, stride, static_cast<float>(beta), t.s_, t.v_, t.p_, t.w_);
    std::vector<float>& q = t.change_;  // P w; v_ is K s, w_ is K p
    t.precondition(t.w_.data(), q.data(), t.velocity_scale_);
    return t.all_ranks(std::array{square_of_preconditioned(owned, stride, t.p_, t.w_, q)})[0];
  }
  // Returns |s|.
  double step(double alpha) {
    through_solver& t = solver;
    const std::int64_t stride = t.cells_.stride();
    const auto squares = t.all_ranks(
        block_sums<2>({t.cells_.grid.owned, 4}, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
          const float *const w = t.w_.data() + c * stride + begin, *const p = t.p_.data() + c * stride + begin,
                             *const q = t.change_.data() + c * stride + begin;
          float *const r = t.r_.data() + c * stride + begin, *const s = t.s_.data() + c * stride + begin;
          double* const x = t.x_.data() + c * stride + begin;
          const double weight = c < 3 ? t.unit_ * t.unit_ : 1;
          double left = 0, all = 0;
#pragma omp simd reduction(+ : left, all)
          for (std::int64_t i = 0; i < n; ++i) {
            x[i] += alpha * static_cast<double>(p[i]);
            s[i] = static_cast<float>(static_cast<double>(s[i]) - alpha * static_cast<double>(q[i]));
            r[i] = static_cast<float>(static_cast<double>(r[i]) - alpha * static_cast<double>(w[i]));
            left += static_cast<double>(s[i]) * static_cast<double>(s[i]);
            all += x[i] * x[i];
          }
          sum = {weight * left, weight * all};
        }));
    of_answer = std::sqrt(squares[1]);
    return std::sqrt(squares[0]);
  }
};

// @return whether |s| is below the tolerance of the answer, mass and all
bool through_solver::settle_creeping(double tolerance, const through_options& how, through_flow& answer, log_sink& log) {
  const std::int64_t stride = cells_.stride();
  solve_certificate& certificate = answer.certificate;
  creeping_system system{*this};
  cg recursion;
  reynolds_ = 0;
  is_linearised_ = false;
  for (auto* v : {&p_, &w_}) std::fill(v->begin(), v->end(), 0.0F);
  double exact = 0, now = 0, least = 0, refreshed = 0;
  double worth_a_look = 1.2 * tolerance;  // |s| over the answer where the exact one is asked for
  int scalings = 0, idle = 0;
  // The residual anew, and what is left of it. @return whether that is little enough
  const auto refresh = [&] {
    {
      const auto sends = part("free_pressure");
      remove_free_pressure(x_.data() + 3 * stride);
    }
    find_residual();
    exact = size(s_);
    const double of_answer = size_of_answer();
    answer.steady_history.push_back(of_answer > 0 ? exact / of_answer : 0);
    if (!std::isfinite(exact)) return false;
    if (exact == 0 || (exact <= tolerance * of_answer && std::abs(imbalance()) <= tolerance)) return true;
    {
      const auto sends = part("preconditioner");
      precondition(r_.data(), s_.data(), velocity_scale_);
    }
    now = size(s_);
    refreshed = 0;
    return false;
  };
  // The inner product was none: see flow_solver.
  const auto rescale = [&] {
    if (++scalings > most_creeping_scalings)
      throw solve_error(fmt::format(
          "the flow solver found no scale of its preconditioner in {} trials, the last one in iteration {}: voxels "
          "are far from cubes, or the image has channels that single precision cannot hold; resample it",
          most_creeping_scalings, certificate.iterations));
    velocity_scale_ *= static_cast<float>(creeping_growth);
    idle = 0;
    recursion.restart();
    const bool is_done = refresh();
    least = now;
    return is_done;
  };
  if (refresh()) return true;
  least = now;
  for (;;) {
    if (certificate.iterations >= (how.rehearses ? rehearsed_iterations : how.max_iterations)) {
      refresh();
      return false;
    }
    if (how.poll) how.poll();
    auto sends = part("iteration");
    const double square = recursion.begin(system);
    if (!(square > 0)) {
      sends.becomes("iteration_without_size");
      if (rescale()) return true;
      continue;
    }
    if (refreshed == 0) refreshed = std::sqrt(square);
    const auto made = recursion.finish(system);
    ++certificate.iterations;
    certificate.work += work_of_creeping_iteration();
    if (!made) {
      sends.becomes("iteration_without_step");
      if (rescale()) return true;
      continue;
    }
    now = made->residual;
    idle = now < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, now);
    const double relative = now / first_;
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-12)) / std::log(how.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", certificate.iterations, relative));
    if (now <= worth_a_look * system.of_answer) {
      if (refresh()) return true;
      worth_a_look = 0.5 * std::min(worth_a_look, now / system.of_answer);
    } else if (idle > creeping_patience) {
      if (scalings == most_creeping_scalings) {
        refresh();
        return false;
      }
      if (rescale()) return true;
    } else if (std::sqrt(square) < creeping_drop * refreshed && refresh()) {
      return true;  // else directions stay conjugate as far as rounding lets them
    }
  }
}

}  // namespace osteon::physics
