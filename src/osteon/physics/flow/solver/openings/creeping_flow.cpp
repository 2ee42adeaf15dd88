#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/numerics/krylov/bramble_pasciak.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/inertial_flow.hpp>

namespace osteon::physics {

namespace {

constexpr double scale_reserve_creeping = 1.15;  // this value equals scale_reserve of permeability
constexpr double creeping_drop = 0.03;           // reduction of s after which rounding errors may be significant
constexpr double creeping_growth = 1.3;
constexpr int most_creeping_scalings = 8;
// after these iterations, fluid moves along all axes, which is necessary for heat transport
constexpr int counted_iterations = 4;
constexpr int creeping_patience = 40;  // number of iterations without a decrease of |s|

}  // namespace

creeping_flow::creeping_flow(through_system& system)
    : system_(system),
      velocity_scale_(static_cast<float>(scale_reserve_creeping / system.preconditioner.least_velocity_eigenvalue())) {}

// The product K s reads four values and three bytes of friction, and writes four values. For each of the four components,
// the iteration also processes (r, K s), p and w, (p, P w), and x, s, r with their sums.
kernel_work creeping_flow::work_of_iteration() const {
  constexpr double bytes = 36 + 4 * (12 + 24 + 12 + 44), operations = 4 * 16 + 4 * (3 + 4 + 3 + 10);
  const auto owned = static_cast<double>(system_.owned());
  return system_.preconditioner.work() + kernel_work{bytes * owned, operations * owned};
}

void creeping_flow::find_residual() {
  const auto sends = system_.part("residual");
  system_.find_exact_residual();
  system_.round_residual();
  system_.precondition(system_.r.data(), system_.s.data());
}

// A system for numerics::cg: conjugate gradients for P K in the inner product of P. x contains the given velocities, which
// are not unknowns. At given velocities, corrections of x are therefore zero.
struct creeping_flow::iterated {
  through_system& system;
  float velocity_scale;
  double of_answer = 0;  // norm of x after a step

  double precondition() {
    through_system& t = system;
    t.multiply(t.s);
    return sum_of_ranks(t.comm(), std::array{square_of_preconditioned(t.owned(), t.stride(), t.r, t.s, t.v)})[0];
  }
  double search(double beta) {
    through_system& t = system;
    turn_direction(t.owned(), t.stride(), static_cast<float>(beta), t.s, t.v, t.p, t.w);
    std::vector<float>& q = t.change;  // q contains P w; v contains K s, and w contains K p
    t.precondition(t.w.data(), q.data(), velocity_scale);
    return sum_of_ranks(t.comm(), std::array{square_of_preconditioned(t.owned(), t.stride(), t.p, t.w, q)})[0];
  }
  // Return |s|.
  double step(double alpha) {
    through_system& t = system;
    const auto squares = t.sums<2>([&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
      const std::int64_t from = c * t.stride() + begin;
      const float *const w = t.w.data() + from, *const p = t.p.data() + from, *const q = t.change.data() + from;
      float *const r = t.r.data() + from, *const s = t.s.data() + from;
      double* const x = t.x.data() + from;
      double left = 0, all = 0;
#pragma omp simd reduction(+ : left, all)
      for (std::int64_t i = 0; i < n; ++i) {
        x[i] += alpha * static_cast<double>(p[i]);
        s[i] = static_cast<float>(static_cast<double>(s[i]) - alpha * static_cast<double>(q[i]));
        r[i] = static_cast<float>(static_cast<double>(r[i]) - alpha * static_cast<double>(w[i]));
        left += static_cast<double>(s[i]) * static_cast<double>(s[i]);
        all += x[i] * x[i];
      }
      sum = {t.weight(c) * left, t.weight(c) * all};
    });
    of_answer = std::sqrt(squares[1]);
    return std::sqrt(squares[0]);
  }
};

bool creeping_flow::solve(double tolerance, const through_options& options, through_flow& answer, log_sink& log) {
  solve_certificate& certificate = answer.certificate;
  through_system& t = system_;
  iterated system{t, velocity_scale_};
  cg recursion;
  for (auto* v : {&t.p, &t.w}) std::fill(v->begin(), v->end(), 0.0F);
  double exact = 0, now = 0, least = 0, refreshed = 0;
  double exact_check_threshold = 1.2 * tolerance;  // |s| relative to the solution at which the exact |s| is computed
  int scalings = 0, idle = 0;
  // Recompute the residual. @return true if the residual is sufficiently small
  const auto refresh = [&] {
    t.remove_free_pressure_of_answer();
    find_residual();
    exact = t.size(t.s);
    const double of_answer = t.size_of_answer();
    answer.steady_history.push_back(of_answer > 0 ? exact / of_answer : 0);
    if (!std::isfinite(exact)) return false;
    if (exact == 0 || (exact <= tolerance * of_answer && std::abs(t.imbalance()) <= tolerance)) return true;
    {
      const auto sends = t.part("preconditioner");
      t.precondition(t.r.data(), t.s.data(), velocity_scale_);
    }
    now = t.size(t.s);
    refreshed = 0;
    return false;
  };
  // The bilinear form is not an inner product (flow_solver).
  const auto rescale = [&] {
    if (++scalings > most_creeping_scalings)
      throw solve_error(fmt::format(
          "the flow solver did not find a scale of the preconditioner in {} trials (the last one in iteration {}); the "
          "voxels are strongly anisotropic, or the channels exceed single precision; resample the image",
          most_creeping_scalings, certificate.iterations));
    velocity_scale_ *= static_cast<float>(creeping_growth);
    system.velocity_scale = velocity_scale_;
    idle = 0;
    recursion.restart();
    const bool is_done = refresh();
    least = now;
    return is_done;
  };
  if (refresh()) return true;
  least = now;
  for (;;) {
    if (certificate.iterations >= (options.counts_messages ? counted_iterations : options.max_iterations)) {
      refresh();
      return false;
    }
    if (options.poll) options.poll();
    auto sends = t.part("iteration");
    const double square = recursion.begin(system);
    if (!(square > 0)) {
      sends.becomes("iteration_without_size");
      if (rescale()) return true;
      continue;
    }
    if (refreshed == 0) refreshed = std::sqrt(square);
    const auto made = recursion.finish(system);
    ++certificate.iterations;
    certificate.work += work_of_iteration();
    if (!made) {
      sends.becomes("iteration_without_step");
      if (rescale()) return true;
      continue;
    }
    now = made->residual;
    idle = now < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, now);
    const double relative = now / t.first;
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-12)) / std::log(options.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", certificate.iterations, relative));
    if (now <= exact_check_threshold * system.of_answer) {
      if (refresh()) return true;
      exact_check_threshold = 0.5 * std::min(exact_check_threshold, now / system.of_answer);
    } else if (idle > creeping_patience) {
      if (scalings == most_creeping_scalings) {
        refresh();
        return false;
      }
      if (rescale()) return true;
    } else if (std::sqrt(square) < creeping_drop * refreshed && refresh()) {
      return true;  // in this case, the directions remain conjugate to rounding
    }
  }
}

void creeping_flow::count_messages() {
  through_system& t = system_;
  const auto sum = [&] { sum_of_ranks(t.comm(), std::array{0.0}); };
  const auto apply = [&] { t.precondition(t.w.data(), t.change.data(), velocity_scale_); };
  t.remove_free_pressure_of_answer();
  find_residual();
  {
    const auto sends = t.part("preconditioner");
    apply();
  }
  {
    const auto sends = t.part("iteration_without_size");
    t.multiply(t.s), sum();
  }
  {
    const auto sends = t.part("iteration_without_step");
    t.multiply(t.s), sum(), apply(), sum();
  }
}

}  // namespace osteon::physics
