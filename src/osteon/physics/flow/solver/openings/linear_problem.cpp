#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/krylov/gcr.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/linear_problem.hpp>

namespace osteon::physics {

namespace {

// What the preconditioner does not know of convection is left to them: many where they cost little.
constexpr std::size_t kept_inertia = 100, fewest_inertia = 24;
constexpr double kept_values = 2e7;       // of all ranks, that they may have
constexpr double mostly_rounding = 1e-4;  // of the square of an image, where its part along the kept ones is taken off
constexpr int iterations_of_a_fall = 40;
constexpr double least_fall = 0.9;    // of |s| in so many iterations
constexpr double stagnation = 0.99;   // fall of |s| by an iteration that is none
constexpr int most_stagnations = 10;  // in a row, after which the kept directions are forgotten

}  // namespace

linear_problem::linear_problem(inertial_system& inertial) : inertial_(inertial) {
  double values = 8.0 * static_cast<double>(inertial.shared().owned());
  comm::all_reduce(inertial.shared().comm(), &values, 1, MPI_SUM);
  most_kept_ = std::clamp(static_cast<std::size_t>(kept_values / values), fewest_inertia, kept_inertia);
}

// As a system of numerics::gcr: s becomes small.
struct linear_problem::iterated {
  inertial_system& inertial;
  through_system& t;
  linear_step kind;
  double size_of_s;
  bool stagnates = false;

  gcr_layout layout() const { return {t.comm(), t.blocks(), t.stride()}; }
  double weight(std::int64_t c) const { return t.weight(c); }
  float* direction() const { return t.p.data(); }
  float* image() const { return t.w.data(); }
  const float* residual() const { return t.s.data(); }

  void search() {
    t.p = t.s;
    if (stagnates) {
      // Breakdown: s is orthogonal to its image and would be the direction again. The last image is the next direction, as
      // long as s.
      const auto scale = static_cast<float>(size_of_s / t.size(t.w));
      for_each(4 * t.stride(), [p = t.p.data(), w = t.w.data(), scale](std::int64_t i) { p[i] = scale * w[i]; });
    }
    inertial.multiply(kind);
    inertial.precondition(t.v.data(), t.w.data());
  }
  void follow() { inertial.multiply(kind); }
  double update(const gcr_step& step) {
    const auto sends = t.part("update");
    const auto per_length = static_cast<float>(1 / step.length);
    const double square = t.sums<1>([&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
      const std::int64_t from = c * t.stride() + begin, kept = c * t.owned() + begin;
      const float *const w = t.w.data() + from, *const p = t.p.data() + from, *const v = t.v.data() + from;
      float *const r = t.r.data() + from, *const s = t.s.data() + from, *const x = t.change.data() + from;
      float *const kept_w = step.image + kept, *const kept_p = step.direction + kept;
      double left = 0;
#pragma omp simd reduction(+ : left)
      for (std::int64_t i = 0; i < n; ++i) {
        kept_w[i] = per_length * w[i];
        kept_p[i] = per_length * p[i];
        x[i] = static_cast<float>(static_cast<double>(x[i]) + step.alpha * static_cast<double>(p[i]));
        s[i] = static_cast<float>(static_cast<double>(s[i]) - step.alpha * static_cast<double>(w[i]));
        r[i] = static_cast<float>(static_cast<double>(r[i]) - step.alpha * static_cast<double>(v[i]));
        left += static_cast<double>(s[i]) * static_cast<double>(s[i]);
      }
      sum[0] = t.weight(c) * left;
    })[0];
    const double size = std::sqrt(square);
    stagnates = size > stagnation * size_of_s;
    return size_of_s = size;
  }
};

bool linear_problem::solve(linear_step kind, double to, const through_options& how, through_flow& answer, log_sink& log) {
  through_system& t = inertial_.shared();
  solve_certificate& certificate = answer.certificate;
  std::fill(t.change.begin(), t.change.end(), 0.0F);
  const double start = t.size(t.s);
  gcr<kept_inertia> recursion(most_kept_, mostly_rounding);
  iterated system{inertial_, t, kind, start};
  int stagnations = 0, count = 0;
  double earlier = start;  // |s| some iterations ago
  while (system.size_of_s > to * start) {
    if (certificate.iterations >= how.max_iterations) return false;
    if (how.poll) how.poll();
    const bool is_first = recursion.size() == 0;
    const auto sends =
        t.part(kind == linear_step::picard ? (is_first ? "first_iteration_of_picard" : "iteration_of_picard")
                                           : (is_first ? "first_iteration_of_newton" : "iteration_of_newton"));
    inertial_.count_iteration(kind, recursion.size());
    const gcr_outcome outcome = recursion.advance(system);
    ++certificate.iterations;
    if (outcome == gcr_outcome::dependent) return system.size_of_s < 0.9 * start;
    if (outcome == gcr_outcome::not_finite)
      throw solve_error(
          fmt::format("the flow solver met a value that is not finite in iteration {}: the flow is too fast for a steady "
                      "state, or voxels are far from cubes",
                      certificate.iterations));
    stagnations = system.stagnates ? stagnations + 1 : 0;
    if (stagnations > most_stagnations) recursion.restart(), stagnations = 0, system.stagnates = false;
    // A step of Newton is worth no more than this; single precision may end the fall as well.
    if (++count % iterations_of_a_fall == 0) {
      if (system.size_of_s > least_fall * earlier) return false;
      earlier = system.size_of_s;
    }
    const double relative = system.size_of_s / t.first;
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-12)) / std::log(how.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", certificate.iterations, relative));
  }
  return true;
}

}  // namespace osteon::physics
