#include <osteon/physics/failure/solver/failure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <osteon/base/for_each.hpp>
#include <osteon/base/release.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/failure/solver/equilibrium.hpp>
#include <osteon/physics/failure/solver/failure_path.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

// Maximum number of corrections in a step.
constexpr int most_corrections = 12;
// For the fixed-point iteration: maximum number of iterates in a step, and number of iterates that are equivalent to a
// correction.
constexpr int most_iterates = 80, iterates_of_correction = 4;
// Tolerance of a prescribed load relative to the load of the plan.
constexpr double load_tolerance = 1e-6;
// For the search of a prescribed load: largest displacement relative to the elastic displacement, and maximum number of
// trials.
constexpr double largest_displacement_ratio = 20;
constexpr int most_trials = 30;

// number of values of a voxel's state in each vector of a checkpoint; one value for each Gauss point
constexpr int numbers_at_once = 8;

// Follows the loading path.
class path_solver {
 public:
  path_solver(const elasticity_problem& problem, const failure_plan& plan, const options& options, log_sink& log)
      : problem_(problem), plan_(plan), options_(options), log_(log), path_(plan) {
    const auto pass = [checkpoints = options.checkpoints] {
      if (checkpoints) checkpoints->pass();
    };
    body_.emplace(problem, plan, pass);
    n_ = body_->k().size();
    u_.assign(static_cast<std::size_t>(n_), 0.0);
    prescribe();
    solution_.state.certificate.unknowns = count_unknowns();
    solution_.state.certificate.setup_seconds = clock_.seconds();
    solution_.state.certificate.setup_cpu_seconds = cpu_clock_.of_all_ranks(problem.where.comm);
  }

  failure_solution run(const elastic_listener& elastic) {
    clock_.restart();
    cpu_clock_.restart();
    const auto found = options_.checkpoints ? options_.checkpoints->begin() : checkpointer::found::nothing;
    solve_elastic(elastic);
    begin_path();
    if (found != checkpointer::found::nothing) restore();
    while (solution_.ended.empty() && !path_.is_complete()) plan_.load == 0 ? step_along_path() : step_to_load();
    write_state(body(), problem_, u_, true, solution_.state);
    body().drop_preconditioner();
    // Save a checkpoint of the complete path.
    if (options_.checkpoints && solution_.ended.empty()) {
      options_.checkpoints->finish(state());
      release(states_);
    }
    finish();
    return std::move(solution_);
  }

 private:
  equilibrium& body() { return *body_; }
  void prescribe() {
    const auto fixed = body().k().fixed();
    prescribed_.assign(fixed.size(), 0.0);
    const std::int64_t stride = body().k().stride();
    for (const prescribed_displacement& p : problem_.fixed) {
      const std::int64_t place = static_cast<int>(p.direction) * stride + p.node;
      const auto at = std::lower_bound(fixed.begin(), fixed.end(), place) - fixed.begin();
      prescribed_[static_cast<std::size_t>(at)] = p.value_mm;
    }
  }
  std::int64_t count_unknowns() {
    auto count = 3 * static_cast<std::int64_t>(problem_.nodes.size()) -
                 3 * static_cast<std::int64_t>(body().k().shared().not_owned().size());
    for (const std::int64_t place : body().k().fixed()) count -= body().is_owned(place);
    return comm::sum_over_ranks(problem_.where.comm, count);
  }
  void set_fixed(double factor) {
    const auto fixed = body().k().fixed();
    for (std::size_t i = 0; i < fixed.size(); ++i) u_[static_cast<std::size_t>(fixed[i])] = factor * prescribed_[i];
  }

  void solve_elastic(const elastic_listener& elastic) {
    set_fixed(1);
    solve_certificate& c = solution_.state.certificate;
    c.residual_history = {1.0};
    const newton_outcome done = body().solve_elastic(u_, options_.tolerance, options_.max_iterations);
    c.iterations += done.iterations;
    c.restarts += done.corrections;
    c.converged = done.converged;
    c.true_relative_residual = done.forces.residual();
    c.residual_history.push_back(done.forces.residual());
    // The load is twice the energy divided by the amount. The error of this load is of second order in the residual.
    elastic_load_ = body().cg().dot(u_.data(), body().forces(u_.data(), false).data()) / plan_.amount;
    if (!done.converged) solution_.ended = "the elastic solution did not converge";
    if (!elastic) return;
    elasticity_solution copy;
    copy.certificate = c;
    copy.certificate.solve_seconds = clock_.seconds();
    write_state(body(), problem_, u_, false, copy);
    elastic(std::move(copy));
  }

  // Compute the load factor at the first yield for loads of the sign of the first turning point. Below the first yield, the
  // solution is proportional to the factor.
  void begin_path() {
    before_.assign(u_.size(), 0.0);
    rate_.assign(u_.size(), 0.0F);
    for_each(n_, [r = rate_.data(), u = u_.data()](std::int64_t i) { r[i] = static_cast<float>(u[i]); });
    if (plan_.turns.size() > 1) elastic_ = rate_;
    const double end = factor_of_place(plan_.turns.front()), sign = end < 0 ? -1 : 1;
    const double largest = body().voxels().largest_of_yield(u_.data(), sign);
    const double yields_at = largest > 0 ? 1 / largest : std::numeric_limits<double>::infinity();
    solution_.first_yield = sign * yields_at;
    solution_.curve.push_back({});
    // With a slightly smaller factor, rounding errors cause no yield.
    const double until = sign * std::min(yields_at * (1 - 1e-10), std::abs(end));
    path_.skip_to(plan_.load == 0 ? until : until * elastic_load_ / plan_.load,
                  [&](double place) { solution_.curve.push_back(elastic_record(factor_of_place(place))); });
    solution_.curve.push_back(elastic_record(until));
    factor_ = until;
    for_each(n_, [b = before_.data(), u = u_.data(), f = factor_](std::int64_t i) { b[i] = f * u[i]; });
    u_ = before_;
    path_.begin_at(place());
    slope_ = elastic_load_;
    if (until != end) return;
    path_.arrive(place(), 0);
    turn();
  }

  // Factor of a position on the path while all voxels are elastic.
  double factor_of_place(double place) const { return plan_.load == 0 ? place : place * plan_.load / elastic_load_; }
  // Present position on the path.
  double place() const { return plan_.load == 0 ? factor_ : solution_.curve.back().load / plan_.load; }

  failure_record elastic_record(double factor) const {
    failure_record r;
    r.factor = factor;
    r.load = factor * elastic_load_;
    r.work_mJ = r.stored_mJ = factor * factor * elastic_load_ * plan_.amount / 2;
    r.residual = solution_.state.certificate.true_relative_residual;
    return r;
  }

  void turn() {
    solution_.turns.push_back(factor_);
    path_.turn();
    if (!path_.reverses()) return;
    rate_ = elastic_;
    slope_ = elastic_load_;
  }

  void step_along_path() {
    const double to = path_.to();
    int halvings = 0;
    const double goal = path_.next(factor_);
    double next = goal;
    while (factor_ != goal) {
      const newton_outcome done = step_to(next);
      if (done.converged) {
        accept(next, load_of_step(next), done);
        path_.arrive(factor_, done.corrections / (body().voxels().has_energy() ? 1 : iterates_of_correction));
        if (factor_ == to) turn();
        save_if_due();
        // The path plans the rest of a halved step, unless the plan prescribes the end of the step.
        if (factor_ == goal || path_.is_complete() || next == to || is_free()) return;
        // The rest of a halved step is divided into steps of the length that has converged.
        next = halvings == 0                             ? goal
               : std::abs(goal - factor_) < 1.5 * piece_ ? goal
                                                         : factor_ + (goal > factor_ ? piece_ : -piece_);
        continue;
      }
      if (!halve(next, goal, halvings)) return;
    }
  }
  bool is_free() const { return plan_.steps == 0 && plan_.stops.empty(); }

  // Halve a step that has not converged. @return false if the maximum number of halvings is exceeded
  bool halve(double& next, double goal, int& halvings) {
    discard_step();
    if (++halvings > plan_.most_halvings) {
      solution_.ended =
          fmt::format("no equilibrium found beyond the load factor {:.6g} with a step of {:.2g}", factor_, next - factor_);
      return false;
    }
    next = factor_ + (next - factor_) / 2;
    piece_ = std::abs(next - factor_);
    path_.shorten(piece_);
    log_.note(fmt::format("the step to load factor {:.6g} did not converge; trying {:.6g}", goal, next));
    return true;
  }

  // Step to a prescribed load with displacement control. Near the ultimate load, a load does not determine the state of the
  // specimen. Steps beyond the prescribed load are trials, and are discarded. The step that reaches the prescribed load is
  // accepted.
  void step_to_load() {
    const double wanted = path_.next(place()) * plan_.load;
    const double begin = solution_.turns.empty() ? 0 : solution_.turns.back();
    const double distance = (path_.to() - path_.from()) * plan_.load / elastic_load_;
    const double forward = distance < 0 ? -1 : 1, upward = forward * (elastic_load_ < 0 ? -1 : 1);
    // After yield, the displacement increases fast. Steps are therefore limited to a fraction of the present displacement.
    double longest = std::max(path_.longest() * std::abs(plan_.load / elastic_load_), std::abs(factor_ - begin) / 4);
    trial low{factor_, solution_.curve.back().load}, high;
    bool is_between = false;
    int halvings = 0;
    for (int trials = 0; trials < most_trials; ++trials) {
      if (forward * (factor_ - begin) >= largest_displacement_ratio * std::abs(distance)) break;
      double next = 0;
      if (is_between) {
        const double part = std::clamp((wanted - low.load) / (high.load - low.load), 0.05, 0.95);
        next = low.factor + part * (high.factor - low.factor);
      } else {
        const double slope = std::max(upward * forward * slope_, 0.05 * std::abs(elastic_load_));
        next = factor_ + forward * std::min(upward * (wanted - low.load) / slope * (1 + load_tolerance / 2), longest);
      }
      const newton_outcome done = step_to(next);
      if (!done.converged) {
        is_between = false;
        low = {factor_, solution_.curve.back().load};
        longest = std::abs(next - factor_) / 2;
        if (!halve(next, next, halvings)) return;
        continue;
      }
      const trial there{next, load_of_step(next)};
      const double left = upward * (wanted - there.load);
      if (std::abs(left) <= load_tolerance * std::abs(plan_.load)) {
        accept(next, there.load, done);
        path_.arrive(place(), done.corrections);
        if (std::abs(wanted - path_.to() * plan_.load) <= 1e-12 * std::abs(plan_.load)) turn();
        return save_if_due();
      }
      if (left < 0 || is_between) {
        (left < 0 ? high : low) = there;
        is_between = true;
        continue;
      }
      if (upward * (there.load - low.load) <= 0) break;
      accept(next, there.load, done);
      low = there;
      longest = std::max(longest, std::abs(factor_ - begin) / 4);
      trials = 0;
      save_if_due();
    }
    discard_step();
    solution_.ended = fmt::format(
        "the prescribed load of {:.6g} was not reached: the load is {:.6g} at {:.3g} times the elastic displacement", wanted,
        solution_.curve.back().load, (factor_ - begin) / distance);
  }
  void discard_step() {
    for_each(n_, [u = u_.data(), b = before_.data()](std::int64_t i) { u[i] = b[i]; });
    body().voxels().discard_changes();
  }
  struct trial {
    double factor = 0, load = 0;
  };

  newton_outcome step_to(double next) {
    for_each(n_, [u = u_.data(), b = before_.data(), r = rate_.data(), d = next - factor_](std::int64_t i) {
      u[i] = b[i] + d * static_cast<double>(r[i]);
    });
    set_fixed(next);
    const int most = body().voxels().has_energy() ? most_corrections : most_iterates;
    newton_outcome all;
    load_before_break_.reset();
    do {
      newton_outcome done = body().solve(u_, options_.tolerance, most, options_.max_iterations);
      all.converged = done.converged;
      all.forces = done.forces;
      all.corrections += done.corrections;
      all.iterations += done.iterations;
      all.residuals.insert(all.residuals.end(), done.residuals.begin(), done.residuals.end());
    } while (all.converged && breaks(next));
    solve_certificate& c = solution_.state.certificate;
    c.iterations += all.iterations;
    c.restarts += all.corrections;
    c.residual_history.insert(c.residual_history.end(), all.residuals.begin(), all.residuals.end());
    return all;
  }

  // At constant displacement, fracture reduces the load. The work of the step is therefore computed with the load before
  // fracture.
  bool breaks(double next) {
    if (body().voxels().has_energy()) return false;
    const double load = load_of_step(next);
    if (body().voxels().break_voxels(u_.data()) == 0) return false;
    if (!load_before_break_) load_before_break_ = load;
    return true;
  }

  void accept(double next, double load, const newton_outcome& done) {
    failure_record r;
    const failure_record& last = solution_.curve.back();
    r.factor = next;
    r.load = load;
    slope_ = (load - last.load) / (next - factor_);
    r.work_mJ = last.work_mJ + (load_before_break_.value_or(load) + last.load) / 2 * (next - factor_) * plan_.amount;
    const step_sums sums = body().voxels().commit(u_.data());
    const std::int64_t voxels = comm::sum_over_ranks(problem_.where.comm, problem_.cells.size());
    r.stored_mJ = sums.stored_mJ;
    if (has_elastic_materials()) r.stored_mJ = stored_in_all(sums);
    r.dissipated_mJ = sums.dissipated_mJ;
    r.hardening_mJ = sums.hardening_mJ;
    const auto all = static_cast<double>(voxels);
    r.yielded = static_cast<double>(sums.yielded) / all;
    r.in_tension = static_cast<double>(sums.in_tension) / all;
    r.in_compression = static_cast<double>(sums.in_compression) / all;
    r.residual = done.forces.residual();
    r.broken = static_cast<double>(sums.broken) / all;
    r.violation = sums.violation;
    r.corrections = done.corrections;
    r.iterations = done.iterations;
    solution_.proof.smallest_dissipation_MPa = std::min(solution_.proof.smallest_dissipation_MPa, sums.smallest_dissipation);
    solution_.curve.push_back(r);
    for_each(n_, [u = u_.data(), b = before_.data(), r = rate_.data(), s = 1 / (next - factor_)](std::int64_t i) {
      r[i] = static_cast<float>(s * (u[i] - b[i]));
      b[i] = u[i];
    });
    factor_ = next;
    log_.progress(
        std::clamp((static_cast<double>(path_.leg()) + std::abs((place() - path_.from()) / (path_.to() - path_.from()))) /
                       static_cast<double>(plan_.turns.size()),
                   0.0, 1.0),
        fmt::format("step {}, factor {:.4g}, load {:.6g}, {:.1f} % yielded", solution_.curve.size() - 1, next, r.load,
                    100 * r.yielded));
  }

  // Work of all forces on the displacement of the step, divided by the factor. This work equals the work of the reactions,
  // but its error is of second order in the residual. The tangent forces of the displacement nearly vanish, except at the
  // plates.
  double load_of_step(double next) {
    const std::span<double> y = body().forces(u_.data(), true);
    body().take_balance(y);
    const std::span<double> distance = body().multigrid().scratch(0);
    for_each(n_, [w = distance.data(), u = u_.data(), b = before_.data(), s = 1 / (next - factor_)](std::int64_t i) {
      w[i] = s * (u[i] - b[i]);
    });
    return (body().work_of_reactions(prescribed_) + body().cg().dot(y.data(), distance.data())) / plan_.amount;
  }

  // Return true if the sums over voxels do not include elastic materials.
  bool has_elastic_materials() const {
    if (!plan_.damage.empty()) return false;
    for (std::size_t m = 1; m < problem_.materials->size(); ++m)
      if (m >= plan_.surfaces.size() || !plan_.surfaces[m].yields()) return true;
    return false;
  }
  // Elastic energy of all voxels. The energy is half of the work of the elastic forces, with a correction for plastic
  // strains.
  double stored_in_all(const step_sums& sums) {
    const std::span<double> y = body().multigrid().scratch(1);
    body().k().own_forces(u_.data(), y.data());
    body().k().add_copies(y.data());
    const double all = body().cg().dot(u_.data(), y.data()) / 2;
    return all - sums.whole_strain_mJ + sums.stored_mJ;
  }

  // The states of the voxels need as much memory as all other data. A checkpoint is written in parts from a small buffer.
  // Before the solution, the checkpoint is read into a single buffer.
  void add_states(solver_state& s, bool for_file) {
    const int numbers = body().voxels().numbers_of_state();
    const auto nodes = static_cast<std::size_t>(problem_.nodes.size());
    states_.assign(nodes * static_cast<std::size_t>(for_file ? std::min(numbers, numbers_at_once) : numbers), 0.0F);
    for (int first = 0; first < numbers; first += numbers_at_once) {
      const int count = std::min(numbers_at_once, numbers - first);
      const std::string name = fmt::format("states {}", first);
      if (!for_file) {
        s.vectors.push_back({name, std::span(states_).subspan(static_cast<std::size_t>(first)), {count, 1, numbers}});
        continue;
      }
      const std::span<float> some(states_.data(), nodes * static_cast<std::size_t>(count));
      s.vectors.push_back({name, some, {count, 1, count}, [this, some, first, count] {
                             std::fill(some.begin(), some.end(), 0.0F);
                             body().voxels().put_states(first, count, some);
                             body().k().shared().exchange_add(some.data(), {count, 1, count});
                           }});
    }
  }

  solver_state state(bool for_file = true) {
    solver_state s{"failure", problem_.where, &problem_.nodes, true, {}, {}};
    s.vectors = {{"displacement", std::span(before_), body().k().layout()}, {"rate", std::span(rate_), body().k().layout()}};
    add_states(s, for_file);
    const solve_certificate& c = solution_.state.certificate;
    const failure_path::numbers path = path_.kept();
    s.numbers = {{"steps", {static_cast<double>(solution_.curve.size() - 1)}},
                 {"iterations", {static_cast<double>(c.iterations), static_cast<double>(c.restarts)}},
                 {"residual_history", c.residual_history},
                 {"path", {factor_, path.length, path.leg, path.stop, piece_, slope_}},
                 {"turns", solution_.turns},
                 {"released_mJ", {body().voxels().released_mJ()}},
                 {"smallest_dissipation", {solution_.proof.smallest_dissipation_MPa}},
                 {"seconds", {c.earlier_seconds + clock_.seconds()}}};
    for (const failure_record& r : solution_.curve) {
      const auto numbers_of = std::bit_cast<std::array<double, numbers_of_failure_record>>(r);
      s.numbers["curve"].insert(s.numbers["curve"].end(), numbers_of.begin(), numbers_of.end());
    }
    return s;
  }

  void save_if_due() {
    if (!options_.checkpoints || !options_.checkpoints->is_due(static_cast<std::int64_t>(solution_.curve.size()) - 1))
      return;
    options_.checkpoints->save(state());
    release(states_);
  }

  void restore() {
    solver_state s = state(false);
    options_.checkpoints->restore(s);
    solve_certificate& c = solution_.state.certificate;
    c.iterations = static_cast<int>(s.numbers.at("iterations").at(0));
    c.restarts = static_cast<int>(s.numbers.at("iterations").at(1));
    c.residual_history = s.numbers.at("residual_history");
    c.earlier_seconds = s.numbers.at("seconds").at(0);
    const std::vector<double>& path = s.numbers.at("path");
    factor_ = path.at(0), piece_ = path.at(4), slope_ = path.at(5);
    path_.restore({path.at(1), path.at(2), path.at(3)});
    solution_.turns = s.numbers.at("turns");
    solution_.proof.smallest_dissipation_MPa = s.numbers.at("smallest_dissipation").at(0);
    const std::vector<double>& curve = s.numbers.at("curve");
    solution_.curve.clear();
    for (std::size_t i = 0; i + numbers_of_failure_record <= curve.size(); i += numbers_of_failure_record) {
      std::array<double, numbers_of_failure_record> numbers;
      std::copy_n(curve.begin() + static_cast<std::ptrdiff_t>(i), numbers.size(), numbers.begin());
      solution_.curve.push_back(std::bit_cast<failure_record>(numbers));
    }
    body().voxels().restore(states_);
    body().voxels().set_released_mJ(s.numbers.at("released_mJ").at(0));
    release(states_);
    u_ = before_;
  }

  void finish() {
    solve_certificate& c = solution_.state.certificate;
    for (const failure_record& r : solution_.curve) {
      solution_.proof.force_residual = std::max(solution_.proof.force_residual, r.residual);
      solution_.proof.yield_violation = std::max(solution_.proof.yield_violation, r.violation);
    }
    const failure_record& last = solution_.curve.back();
    double largest = 0;
    for (const failure_record& r : solution_.curve) largest = std::max(largest, std::abs(r.work_mJ));
    if (largest > 0)
      solution_.proof.work_error =
          std::abs(last.work_mJ - last.stored_mJ - last.dissipated_mJ - last.hardening_mJ) / largest;
    c.true_relative_residual = last.residual;
    c.converged = solution_.ended.empty();
    release(elastic_);
    release(rate_);
    release(before_);
    solution_.plastic_strain = body().voxels().plastic_strain();
    solution_.damage = body().voxels().damage();
    solution_.dissipation_MPa = body().voxels().dissipation();
    solution_.state_bytes = comm::sum_over_ranks(problem_.where.comm, body().voxels().bytes());
    c.solve_seconds = c.earlier_seconds + clock_.seconds();
    c.solve_cpu_seconds = cpu_clock_.of_all_ranks(problem_.where.comm);
  }

  const elasticity_problem& problem_;
  const failure_plan& plan_;
  const options& options_;
  log_sink& log_;
  stopwatch clock_;
  cpu_clock cpu_clock_;
  std::optional<equilibrium> body_;
  std::int64_t n_ = 0;
  std::vector<double> u_, before_;     // displacements in the present step, and in the last accepted step
  std::vector<float> rate_, elastic_;  // displacement per load factor in the last step, and in the elastic solution
  std::vector<double> prescribed_;     // prescribed displacements at the load factor 1, in the order of k().fixed()
  std::vector<float> states_;          // states from a checkpoint
  double elastic_load_ = 0, factor_ = 0, piece_ = 0;
  std::optional<double> load_before_break_;  // load before fracture in the present step
  double slope_ = 0;                         // change of the load per load factor in the last step
  failure_path path_;
  failure_solution solution_;
};

}  // namespace

failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& options,
                               const elastic_listener& elastic, log_sink& log) {
  comm::collectively(problem.where.comm, [&] {
    if (!(options.tolerance > 0 && options.tolerance < 1))
      throw usage_error(fmt::format("tolerance {}: must be in (0, 1), for example 1e-6", options.tolerance));
    check_plan(plan);
  });
  check_elasticity(problem);
  return path_solver(problem, plan, options, log).run(elastic);
}

}  // namespace osteon::physics
