#include <osteon/solve/failure/failure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <osteon/base/for_each.hpp>
#include <osteon/base/release.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/solve/checkpointer.hpp>
#include <osteon/solve/elasticity/elasticity_check.hpp>
#include <osteon/solve/failure/equilibrium.hpp>
#include <osteon/solve/failure/failure_balances.hpp>

namespace osteon::solve {

namespace {

// Corrections after which a step is too long, and up to which the next one may be longer.
constexpr int most_corrections = 12, few_corrections = 4;
// Lengths of steps that are found on the way, over the way from the first yield to the turn.
constexpr double first_length = 0.1, longest_length = 0.2, growth = 1.4;

void check_failure(const elasticity_problem& problem, const failure_plan& plan, const options& how) {
  comm::collectively(problem.where.comm, [&] {
    if (!(how.tolerance > 0 && how.tolerance < 1))
      throw usage_error(fmt::format("a tolerance of {}; it lies in (0, 1), e.g. 1e-6", how.tolerance));
    if (plan.turns.empty()) throw usage_error("a path without an end; name the factors that it goes to, e.g. 1");
    double at = 0;
    for (const double turn : plan.turns) {
      if (!std::isfinite(turn) || turn == at)
        throw usage_error(fmt::format("a path from {} to {}; each turn is another finite factor", at, turn));
      at = turn;
    }
    if (plan.steps < 0 || plan.most_halvings < 0) throw usage_error("steps and halvings are not negative");
    for (const kernel::yield_surface& s : plan.surfaces)
      if (!(s.a >= 0) || !(s.h >= 0) || !std::isfinite(s.a) || !std::isfinite(s.b) || !std::isfinite(s.h) ||
          (s.yields() && std::abs(s.b) >= s.a))
        throw usage_error(fmt::format("a yield surface a = {}, b = {}, h = {} per MPa; a > |b| and h >= 0", s.a, s.b, s.h));
  });
  check_elasticity(problem);
}

// Walks the path.
class walker {
 public:
  walker(const elasticity_problem& problem, const failure_plan& plan, const options& how, log_sink& log)
      : problem_(problem), plan_(plan), how_(how), log_(log) {
    const auto pass = [checkpoints = how.checkpoints] {
      if (checkpoints) checkpoints->pass();
    };
    body_.emplace(problem, plan.surfaces, plan.integration, pass);
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
    const auto found = how_.checkpoints ? how_.checkpoints->begin() : checkpointer::found::nothing;
    solve_elastic(elastic);
    begin_path();
    if (found != checkpointer::found::nothing) restore();
    while (solution_.ended.empty() && leg_ < plan_.turns.size()) walk_leg();
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
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, problem_.where.comm);
    return count;
  }
  void set_fixed(double factor) {
    const auto fixed = body().k().fixed();
    for (std::size_t i = 0; i < fixed.size(); ++i) u_[static_cast<std::size_t>(fixed[i])] = factor * prescribed_[i];
  }

  void solve_elastic(const elastic_listener& elastic) {
    set_fixed(1);
    solve_certificate& c = solution_.state.certificate;
    c.residual_history = {1.0};
    const newton_outcome done = body().solve_elastic(u_, how_.tolerance, how_.max_iterations);
    c.iterations += done.iterations;
    c.restarts += done.corrections;
    c.converged = done.converged;
    c.true_relative_residual = done.forces.residual();
    c.residual_history.push_back(done.forces.residual());
    // Twice the energy: exact to second order in the residual.
    elastic_load_ = body().cg().dot(u_.data(), body().forces(u_.data(), false).data()) / plan_.amount;
    if (!done.converged) solution_.ended = "the elastic solution did not converge";
    if (!elastic) return;
    elasticity_solution copy;
    copy.certificate = c;
    copy.certificate.solve_seconds = clock_.seconds();
    write_state(body(), problem_, u_, false, copy);
    elastic(std::move(copy));
  }

  // The factor of the first yield in the direction of the first turn; up to it all is proportional.
  void begin_path() {
    before_.assign(u_.size(), 0.0);
    rate_.assign(u_.size(), 0.0F);
    for_each(n_, [r = rate_.data(), u = u_.data()](std::int64_t i) { r[i] = static_cast<float>(u[i]); });
    if (plan_.turns.size() > 1) elastic_ = rate_;
    const double sign = plan_.turns.front() < 0 ? -1 : 1;
    const double largest = body().plastic().largest_of_yield(u_.data(), sign);
    const double yields_at = largest > 0 ? 1 / largest : std::numeric_limits<double>::infinity();
    solution_.first_yield = sign * yields_at;
    solution_.curve.push_back({});
    // Just below: rounding must not make the first points flow.
    const double until = std::min(yields_at * (1 - 1e-10), std::abs(plan_.turns.front()));
    const bool is_whole_leg = until == std::abs(plan_.turns.front());
    for (int k = 1; k <= plan_.steps; ++k)
      if (const double factor = plan_.turns.front() * k / plan_.steps; std::abs(factor) < until)
        solution_.curve.push_back(elastic_record(factor));
    solution_.curve.push_back(elastic_record(sign * until));
    factor_ = sign * until;
    for_each(n_, [b = before_.data(), u = u_.data(), f = factor_](std::int64_t i) { b[i] = f * u[i]; });
    u_ = before_;
    length_ = first_length * (std::abs(plan_.turns.front()) - until);
    if (is_whole_leg) turn();
  }

  failure_record elastic_record(double factor) const {
    failure_record r;
    r.factor = factor;
    r.load = factor * elastic_load_;
    r.work_mJ = r.stored_mJ = factor * factor * elastic_load_ * plan_.amount / 2;
    r.residual = solution_.state.certificate.true_relative_residual;
    return r;
  }

  void turn() {
    const double from = leg_ == 0 ? 0 : plan_.turns[leg_ - 1], at = plan_.turns[leg_];
    ++leg_;
    if (leg_ == plan_.turns.size()) return;
    const bool reverses = (plan_.turns[leg_] - at) * (at - from) < 0;
    if (reverses) rate_ = elastic_;
    length_ = first_length * std::abs(plan_.turns[leg_] - at);
  }

  // Where the next step is to end.
  double next_factor() const {
    const double from = leg_ == 0 ? 0 : plan_.turns[leg_ - 1], to = plan_.turns[leg_], left = to - factor_;
    if (plan_.steps == 0) {
      // What remains is shared evenly: no last step is tiny.
      const double steps = std::ceil(std::abs(left) / length_ * (1 - 1e-9));
      return steps <= 1 ? to : factor_ + left / steps;
    }
    for (int k = 1; k <= plan_.steps; ++k) {
      const double at = k == plan_.steps ? to : from + (to - from) * k / plan_.steps;
      if ((at - factor_) * (to - from) > 1e-9 * (to - from) * (to - from)) return at;
    }
    return to;
  }

  void walk_leg() {
    const double to = plan_.turns[leg_];
    int halvings = 0;
    const double goal = next_factor();
    double next = goal;
    while (factor_ != goal) {
      const newton_outcome done = step_to(next);
      if (done.converged) {
        accept(next, done);
        if (plan_.steps == 0) {
          if (done.corrections <= few_corrections)
            length_ = std::min(growth * length_, longest_length * std::abs(to - (leg_ == 0 ? 0 : plan_.turns[leg_ - 1])));
          if (done.corrections > 8) length_ /= 2;
        }
        if (factor_ == to) return turn_and_save();
        save_if_due();
        if (plan_.steps == 0) return;
        // The rest of a halved step is taken in pieces of the length that converged.
        next = halvings == 0                             ? goal
               : std::abs(goal - factor_) < 1.5 * piece_ ? goal
                                                         : factor_ + (goal > factor_ ? piece_ : -piece_);
        continue;
      }
      for_each(n_, [u = u_.data(), b = before_.data()](std::int64_t i) { u[i] = b[i]; });
      if (++halvings > plan_.most_halvings) {
        solution_.ended =
            fmt::format("no equilibrium is found beyond the factor {:.6g}, at a step of {:.2g}", factor_, next - factor_);
        return;
      }
      next = factor_ + (next - factor_) / 2;
      piece_ = std::abs(next - factor_);
      length_ = piece_;
      log_.note(fmt::format("the step to {:.6g} does not converge: halved to {:.6g}", goal, next));
    }
  }

  newton_outcome step_to(double next) {
    for_each(n_, [u = u_.data(), b = before_.data(), r = rate_.data(), d = next - factor_](std::int64_t i) {
      u[i] = b[i] + d * static_cast<double>(r[i]);
    });
    set_fixed(next);
    solve_certificate& c = solution_.state.certificate;
    const newton_outcome done = body().solve(u_, how_.tolerance, most_corrections, how_.max_iterations);
    c.iterations += done.iterations;
    c.restarts += done.corrections;
    c.residual_history.insert(c.residual_history.end(), done.residuals.begin(), done.residuals.end());
    return done;
  }

  void accept(double next, const newton_outcome& done) {
    failure_record r;
    const failure_record& last = solution_.curve.back();
    r.factor = next;
    r.load = load_of_step(next);
    r.work_mJ = last.work_mJ + (r.load + last.load) / 2 * (next - factor_) * plan_.amount;
    const plastic_sums sums = body().plastic().commit(u_.data());
    std::int64_t voxels = problem_.cells.size();
    MPI_Allreduce(MPI_IN_PLACE, &voxels, 1, MPI_INT64_T, MPI_SUM, problem_.where.comm);
    r.stored_mJ = sums.stored_mJ;
    if (has_elastic_materials()) r.stored_mJ = stored_in_all(sums);
    r.dissipated_mJ = sums.dissipated_mJ;
    r.hardening_mJ = sums.hardening_mJ;
    const auto all = static_cast<double>(voxels);
    r.yielded = static_cast<double>(sums.yielded) / all;
    r.in_tension = static_cast<double>(sums.in_tension) / all;
    r.in_compression = static_cast<double>(sums.in_compression) / all;
    r.residual = done.forces.residual();
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
    const double end = plan_.turns[leg_], from = leg_ == 0 ? 0 : plan_.turns[leg_ - 1];
    log_.progress(std::clamp((static_cast<double>(leg_) + std::abs((next - from) / (end - from))) /
                                 static_cast<double>(plan_.turns.size()),
                             0.0, 1.0),
                  fmt::format("step {}, factor {:.4g}, load {:.6g}, {:.1f} % yielded", solution_.curve.size() - 1, next,
                              r.load, 100 * r.yielded));
  }

  // The work of all forces on the step's motion over the factor: that of the reactions, but exact to second order in the
  // residual, as the motion of the step is nearly one to which the tangent answers at the plates only.
  double load_of_step(double next) {
    const std::span<double> y = body().forces(u_.data(), true);
    body().take_balance(y);
    const std::span<double> way = body().multigrid().scratch(0);
    for_each(n_, [w = way.data(), u = u_.data(), b = before_.data(), s = 1 / (next - factor_)](std::int64_t i) {
      w[i] = s * (u[i] - b[i]);
    });
    return (body().work_of_reactions(prescribed_) + body().cg().dot(y.data(), way.data())) / plan_.amount;
  }

  bool has_elastic_materials() const {
    for (std::size_t m = 1; m < problem_.materials->size(); ++m)
      if (m >= plan_.surfaces.size() || !plan_.surfaces[m].yields()) return true;
    return false;
  }
  // With voxels that stay elastic: half the work of the elastic forces of all strains, less the part that plastic ones take.
  double stored_in_all(const plastic_sums& sums) {
    const std::span<double> y = body().multigrid().scratch(1);
    body().k().own_forces(u_.data(), y.data());
    body().k().add_copies(y.data());
    const double all = body().cg().dot(u_.data(), y.data()) / 2;
    return all - sums.whole_strain_mJ + sums.stored_mJ;
  }

  solver_state state() {
    solver_state s{"failure", problem_.where, &problem_.nodes, true, {}, {}};
    states_ = body().plastic().states_at_corners();
    constexpr int numbers = 8 * plastic_voxels::state_size;
    body().k().shared().exchange_add(states_.data(), {numbers, 1, numbers});
    s.vectors = {{"displacement", std::span(before_), body().k().layout()},
                 {"rate", std::span(rate_), body().k().layout()},
                 {"states", std::span(states_), {numbers, 1, numbers}}};
    const solve_certificate& c = solution_.state.certificate;
    s.numbers = {{"steps", {static_cast<double>(solution_.curve.size() - 1)}},
                 {"iterations", {static_cast<double>(c.iterations), static_cast<double>(c.restarts)}},
                 {"residual_history", c.residual_history},
                 {"path", {factor_, length_, static_cast<double>(leg_), piece_}},
                 {"smallest_dissipation", {solution_.proof.smallest_dissipation_MPa}},
                 {"seconds", {c.earlier_seconds + clock_.seconds()}}};
    for (const failure_record& r : solution_.curve) {
      const auto numbers_of = std::bit_cast<std::array<double, numbers_of_failure_record>>(r);
      s.numbers["curve"].insert(s.numbers["curve"].end(), numbers_of.begin(), numbers_of.end());
    }
    return s;
  }

  void save_if_due() {
    if (!how_.checkpoints || !how_.checkpoints->is_due(static_cast<std::int64_t>(solution_.curve.size()) - 1)) return;
    how_.checkpoints->save(state());
    release(states_);
  }
  void turn_and_save() {
    turn();
    save_if_due();
  }

  void restore() {
    solver_state s = state();
    how_.checkpoints->restore(s);
    solve_certificate& c = solution_.state.certificate;
    c.iterations = static_cast<int>(s.numbers.at("iterations").at(0));
    c.restarts = static_cast<int>(s.numbers.at("iterations").at(1));
    c.residual_history = s.numbers.at("residual_history");
    c.earlier_seconds = s.numbers.at("seconds").at(0);
    const std::vector<double>& path = s.numbers.at("path");
    factor_ = path.at(0), length_ = path.at(1), leg_ = static_cast<std::size_t>(path.at(2)), piece_ = path.at(3);
    solution_.proof.smallest_dissipation_MPa = s.numbers.at("smallest_dissipation").at(0);
    const std::vector<double>& curve = s.numbers.at("curve");
    solution_.curve.clear();
    for (std::size_t i = 0; i + numbers_of_failure_record <= curve.size(); i += numbers_of_failure_record) {
      std::array<double, numbers_of_failure_record> numbers;
      std::copy_n(curve.begin() + static_cast<std::ptrdiff_t>(i), numbers.size(), numbers.begin());
      solution_.curve.push_back(std::bit_cast<failure_record>(numbers));
    }
    body().plastic().restore(states_);
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
    solution_.plastic_strain = body().plastic().plastic_strain();
    solution_.dissipation_MPa = body().plastic().dissipation();
    solution_.state_bytes = body().plastic().bytes();
    MPI_Allreduce(MPI_IN_PLACE, &solution_.state_bytes, 1, MPI_INT64_T, MPI_SUM, problem_.where.comm);
    write_state(body(), problem_, u_, true, solution_.state);
    c.solve_seconds = c.earlier_seconds + clock_.seconds();
    c.solve_cpu_seconds = cpu_clock_.of_all_ranks(problem_.where.comm);
  }

  const elasticity_problem& problem_;
  const failure_plan& plan_;
  const options& how_;
  log_sink& log_;
  stopwatch clock_;
  cpu_clock cpu_clock_;
  std::optional<equilibrium> body_;
  std::int64_t n_ = 0;
  std::vector<double> u_, before_;     // the state that is sought, and the last good one
  std::vector<float> rate_, elastic_;  // displacements over the factor: of the last step; of the elastic solution
  std::vector<double> prescribed_;     // at factor 1, by place in k().fixed()
  std::vector<float> states_;          // of a checkpoint
  double elastic_load_ = 0, factor_ = 0, length_ = 0, piece_ = 0;
  std::size_t leg_ = 0;
  failure_solution solution_;
};

}  // namespace

failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& how,
                               const elastic_listener& elastic, log_sink& log) {
  check_failure(problem, plan, how);
  return walker(problem, plan, how, log).run(elastic);
}

}  // namespace osteon::solve
