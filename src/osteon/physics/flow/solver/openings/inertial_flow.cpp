#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/krylov/gcr.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/inertial_flow.hpp>

namespace osteon::physics {

namespace {

constexpr double fall_inertia = 0.01;  // reduction of the residual in the linear solution of a Picard or Newton step
constexpr int most_steps = 100, most_continuation_steps = 30;
constexpr double quick_picard = 0.8;             // if a Picard step reduces |s| by this factor, another Picard step follows
constexpr int first_picards = 40;                // number of initial Picard steps that start from another flow
constexpr int picards_again = 3;                 // number of Picard steps after a diverging Newton step
constexpr double continuation_tolerance = 0.03;  // tolerance of a flow that is only an initial guess
constexpr double shortest_share = 0.2;           // smallest accepted fraction of a Newton step
constexpr double least_inertia = 1e-4;
constexpr double first_look = 0.05;       // error of the solution of the hybrid scheme at which the limiter is updated
constexpr double fall_per_update = 0.3;   // reduction of the error between two updates of the limiter
constexpr int most_limiter_updates = 16;  // number of updates after which the fractions of the limiter are constant

}  // namespace

inertial_flow::inertial_flow(through_system& shared, creeping_flow& creeping, const through_problem& problem)
    : shared_(shared), creeping_(creeping), system_(shared, problem), linear_(system_) {}

void inertial_flow::begin(double reynolds) {
  reynolds_ = reynolds;
  system_.set_reynolds(reynolds);
  if (system_.is_time_step()) system_.begin_time_step();
}

double inertial_flow::size_of_new_residual() {
  system_.find_residual();
  return shared_.size(shared_.s);
}

double inertial_flow::limiter_residual() {
  if (!system_.is_limited()) return 0;
  system_.update_limiter(1);
  const double now = size_of_new_residual(), of_answer = shared_.size_of_answer();
  return of_answer > 0 ? now / of_answer : 0;
}

// Updates of the limiter during the solution.
struct inertial_flow::approach {
  inertial_flow& flow;
  double tolerance;
  bool updates_limiter;
  int updates = 0;
  double update_threshold;

  // @param now present |s| @return |s| after the updates
  double update_limiter(double now, double of_answer) {
    while (updates_limiter && now <= update_threshold * of_answer) {
      // New fractions are applied partially with decreasing weight, because complete updates oscillate.
      flow.system_.update_limiter(1 / std::sqrt(1.0 + updates));
      now = flow.size_of_new_residual();
      updates_limiter = ++updates < most_limiter_updates && now > tolerance * of_answer;
      update_threshold = std::max(tolerance, fall_per_update * now / of_answer);
    }
    return now;
  }
};

// Execute steps until |s| relative to the solution is below `tolerance`. |s| includes the residual of mass. @param limits
// true: update an existing limiter during the steps; false: use the hybrid scheme @return false if the steps do not converge
bool inertial_flow::solve_steady(double reynolds, double tolerance, int most, bool limits, const through_options& options,
                                 through_flow& answer, log_sink& log) {
  solve_certificate& certificate = answer.certificate;
  system_.set_reynolds(reynolds);
  {
    const auto sends = shared_.part("ghosts_of_answer");
    shared_.exchange_answer();
  }
  if (!limits) system_.forget_limiter();
  system_.linearise();
  double now = size_of_new_residual();
  approach limiter{*this, tolerance, limits && system_.is_limited(), 0, std::max(first_look, tolerance)};
  // Picard steps are used while they converge fast, and after Newton steps have diverged.
  int picards = 1;
  double fall_of_picard = 0;
  for (int step = 0;; ++step) {
    const double of_answer = shared_.size_of_answer();
    now = limiter.update_limiter(now, of_answer);
    answer.steady_history.push_back(of_answer > 0 ? now / of_answer : 0);
    if (!std::isfinite(now)) return false;
    if (now == 0 || (now <= tolerance * of_answer && std::abs(shared_.imbalance()) <= tolerance)) return true;
    if (certificate.iterations >= options.max_iterations || step >= most) return false;
    const linear_step kind = picards > 0 ? linear_step::picard : linear_step::newton;
    if (step > 0) {
      system_.linearise();
      system_.precondition_residual();
      system_.count_preconditioning();
      now = shared_.size(shared_.s);
    }
    linear_.solve(kind, fall_inertia, options, answer, log);
    // A diverging step is shortened. The first step may diverge, because this step starts from another flow.
    double share = 1, added = 0;
    const double old = now;
    const auto add_change = [&](double factor) {
      for_each(std::ssize(shared_.x), [x = shared_.x.data(), d = shared_.change.data(), factor](std::int64_t i) {
        x[i] += factor * static_cast<double>(d[i]);
      });
    };
    for (;;) {
      add_change(share - added);
      added = share;
      shared_.remove_free_pressure_of_answer();
      now = size_of_new_residual();
      if (kind != linear_step::newton || now < (1 - 0.1 * share) * old) break;
      if (share < 1 && fall_of_picard < 1) {
        add_change(-added);
        now = size_of_new_residual();
        picards = picards_again;
        break;
      }
      if (share < shortest_share) return false;
      share /= 2;
    }
    if (kind == linear_step::picard) {
      fall_of_picard = now / old;
      --picards;
      if (picards == 0 && (step < first_picards || fall_of_picard < quick_picard)) picards = 1;
    }
  }
}

bool inertial_flow::solve_steady(bool has_last, const through_options& options, through_flow& answer, log_sink& log) {
  solve_certificate& certificate = answer.certificate;
  bool is_found = false;
  double reached = has_last ? 1 : 0, wanted = 1;  // reached and requested fractions of the inertia
  if (!has_last) {
    creeping_.solve(continuation_tolerance, options, answer, log);
    system_.linearise_at_rest();
  }
  std::vector<double> known;
  while (certificate.iterations < options.max_iterations && !options.counts_messages) {
    known = shared_.x;
    const bool is_last = wanted == 1;
    if (solve_steady(wanted * reynolds_, is_last ? options.tolerance : continuation_tolerance,
                     is_last ? most_steps : most_continuation_steps, is_last, options, answer, log)) {
      is_found = is_last;
      if (is_last) break;
      const double next = std::min(1.0, wanted * (reached > 0 ? std::clamp(wanted / reached, 1.2, 4.0) : 4.0));
      reached = wanted;
      wanted = next;
      continue;
    }
    if (certificate.iterations >= options.max_iterations) break;
    shared_.x = known;
    if (reached == 1) reached = 0;  // the last solution is for another velocity
    wanted = reached == 0 ? wanted / 8 : std::sqrt(wanted * reached);
    if (wanted < least_inertia || (reached > 0 && wanted < 1.02 * reached)) break;
    log.note(fmt::format("continuation: solving the steady flow with {:.3g} of its inertia", wanted));
  }
  system_.set_reynolds(reynolds_);
  if (!is_found) system_.find_residual();
  return is_found;
}

bool inertial_flow::solve_time_step(const through_options& options, through_flow& answer, log_sink& log) {
  if (options.max_iterations > 0 && !options.counts_messages &&
      solve_steady(reynolds_, options.tolerance, most_steps, true, options, answer, log))
    return true;
  system_.find_residual();
  return false;
}

void inertial_flow::count_messages(const through_options& options, through_flow& answer) {
  system_.linearise_at_rest();
  system_.find_residual();
  {
    const auto sends = shared_.part("ghosts_of_answer");
    shared_.exchange_answer();
  }
  system_.linearise();
  system_.find_residual();
  system_.precondition_residual();
  if (system_.is_limited()) system_.update_limiter(1);
  through_options two = options;
  for (const linear_step kind : {linear_step::picard, linear_step::newton}) {
    std::fill(shared_.s.begin(), shared_.s.end(), 1.0F);
    two.max_iterations = answer.certificate.iterations + 2;
    linear_.solve(kind, 0, two, answer, null_log());
  }
}

namespace {

// The stored directions represent the convection that the preconditioner omits. If stored directions need little memory,
// many directions are stored.
constexpr std::size_t kept_inertia = 100, fewest_inertia = 24;
constexpr double kept_values = 2e7;  // maximum number of values in all stored directions on all ranks
// Minimum ratio of the square of an orthogonalised image to the square before orthogonalisation.
constexpr double mostly_rounding = 1e-4;
constexpr int iterations_of_a_fall = 40;
constexpr double least_fall = 0.9;    // largest ratio of |s| to the value of |s| iterations_of_a_fall iterations earlier
constexpr double stagnation = 0.99;   // if the ratio of |s| to the previous |s| exceeds this value, the iteration stagnates
constexpr int most_stagnations = 10;  // number of consecutive stagnations after which the stored directions are discarded

}  // namespace

linear_problem::linear_problem(inertial_system& inertial) : inertial_(inertial) {
  double values = 8.0 * static_cast<double>(inertial.shared().owned());
  comm::all_reduce(inertial.shared().comm(), &values, 1, MPI_SUM);
  most_kept_ = std::clamp(static_cast<std::size_t>(kept_values / values), fewest_inertia, kept_inertia);
}

// A system for numerics::gcr that minimises s.
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
      // In a breakdown, s is orthogonal to its image. s would then be the same direction again. The next direction is
      // therefore the last image, scaled to the length of s.
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

bool linear_problem::solve(linear_step kind, double to, const through_options& options, through_flow& answer,
                           log_sink& log) {
  through_system& t = inertial_.shared();
  solve_certificate& certificate = answer.certificate;
  std::fill(t.change.begin(), t.change.end(), 0.0F);
  const double start = t.size(t.s);
  gcr<kept_inertia> recursion(most_kept_, mostly_rounding);
  iterated system{inertial_, t, kind, start};
  int stagnations = 0, count = 0;
  double earlier = start;  // |s| of an earlier iteration
  while (system.size_of_s > to * start) {
    if (certificate.iterations >= options.max_iterations) return false;
    if (options.poll) options.poll();
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
          fmt::format("flow solver: value is not finite in iteration {}; the flow is too fast for a steady state, or the "
                      "voxels are strongly anisotropic",
                      certificate.iterations));
    stagnations = system.stagnates ? stagnations + 1 : 0;
    if (stagnations > most_stagnations) recursion.restart(), stagnations = 0, system.stagnates = false;
    // Further iterations would not improve a Newton step. The limits of single precision may also end the decrease of the
    // residual.
    if (++count % iterations_of_a_fall == 0) {
      if (system.size_of_s > least_fall * earlier) return false;
      earlier = system.size_of_s;
    }
    const double relative = system.size_of_s / t.first;
    certificate.residual_history.push_back(relative);
    log.progress(std::clamp(std::log(std::max(relative, 1e-12)) / std::log(options.tolerance), 0.0, 1.0),
                 fmt::format("iteration {}, relative residual {:.2e}", certificate.iterations, relative));
  }
  return true;
}

}  // namespace osteon::physics
