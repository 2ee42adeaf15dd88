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

// Number of corrections after which a step is too long.
constexpr int most_corrections = 12;
// For a fixed point: maximum number of iterates, and the number of iterates at the cost of a correction.
constexpr int most_iterates = 80, iterates_of_correction = 4;
// Tolerance of a given load, relative to the load of the plan.
constexpr double load_tolerance = 1e-6;
// Multiple of the elastic displacement to a load at which the search for it ends; trials of a step in that search.
constexpr double most_elastic_ways = 20;
constexpr int most_trials = 30;

constexpr int numbers_at_once = 8;  // numbers of a voxel's state written together in a checkpoint: one at each Gauss point

// Follows the path.
class walker {
 public:
  walker(const elasticity_problem& problem, const failure_plan& plan, const options& how, log_sink& log)
      : problem_(problem), plan_(plan), how_(how), log_(log), path_(plan) {
    const auto pass = [checkpoints = how.checkpoints] {
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
    const auto found = how_.checkpoints ? how_.checkpoints->begin() : checkpointer::found::nothing;
    solve_elastic(elastic);
    begin_path();
    if (found != checkpointer::found::nothing) restore();
    while (solution_.ended.empty() && !path_.is_walked()) plan_.load == 0 ? walk_to_place() : walk_to_load();
    write_state(body(), problem_, u_, true, solution_.state);
    body().drop_preconditioner();
    // State for a later walk of the same job.
    if (how_.checkpoints && solution_.ended.empty()) {
      how_.checkpoints->finish(state());
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
    comm::all_reduce(problem_.where.comm, &count, 1, MPI_SUM);
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
    const double end = factor_of_place(plan_.turns.front()), sign = end < 0 ? -1 : 1;
    const double largest = body().voxels().largest_of_yield(u_.data(), sign);
    const double yields_at = largest > 0 ? 1 / largest : std::numeric_limits<double>::infinity();
    solution_.first_yield = sign * yields_at;
    solution_.curve.push_back({});
    // Slightly below: rounding must not make the first points yield.
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

  // While all voxels are elastic.
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

  void walk_to_place() {
    const double to = path_.to();
    int halvings = 0;
    const double goal = path_.next(factor_);
    double next = goal;
    while (factor_ != goal) {
      const newton_outcome done = step_to(next);
      if (done.converged) {
        accept(next, load_of_step(next), done);
        path_.arrive(factor_, done.corrections / (body().voxels().have_energy() ? 1 : iterates_of_correction));
        if (factor_ == to) turn();
        save_if_due();
        // The rest of a halved step is planned again, unless the plan prescribes its end.
        if (factor_ == goal || path_.is_walked() || next == to || is_free()) return;
        // The rest of a halved step is divided into pieces of the length that converged.
        next = halvings == 0                             ? goal
               : std::abs(goal - factor_) < 1.5 * piece_ ? goal
                                                         : factor_ + (goal > factor_ ? piece_ : -piece_);
        continue;
      }
      if (!halve(next, goal, halvings)) return;
    }
  }
  bool is_free() const { return plan_.steps == 0 && plan_.stops.empty(); }

  // Halves a step that did not converge. @return false: the limit of halvings is reached
  bool halve(double& next, double goal, int& halvings) {
    retreat();
    if (++halvings > plan_.most_halvings) {
      solution_.ended =
          fmt::format("no equilibrium is found beyond the factor {:.6g}, at a step of {:.2g}", factor_, next - factor_);
      return false;
    }
    next = factor_ + (next - factor_) / 2;
    piece_ = std::abs(next - factor_);
    path_.shorten(piece_);
    log_.note(fmt::format("the step to {:.6g} does not converge: halved to {:.6g}", goal, next));
    return true;
  }

  // Step to a load by controlling its displacement: near the largest load the load does not determine the state of the
  // specimen. Steps that pass the load are trials; the one that reaches it is kept.
  void walk_to_load() {
    const double wanted = path_.next(place()) * plan_.load;
    const double begin = solution_.turns.empty() ? 0 : solution_.turns.back();
    const double way = (path_.to() - path_.from()) * plan_.load / elastic_load_;
    const double forward = way < 0 ? -1 : 1, upward = forward * (elastic_load_ < 0 ? -1 : 1);
    // After yielding the displacement grows fast: later steps are a fraction of the displacement so far.
    double longest = std::max(path_.longest() * std::abs(plan_.load / elastic_load_), std::abs(factor_ - begin) / 4);
    trial low{factor_, solution_.curve.back().load}, high;
    bool is_between = false;
    int halvings = 0;
    for (int trials = 0; trials < most_trials; ++trials) {
      if (forward * (factor_ - begin) >= most_elastic_ways * std::abs(way)) break;
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
    retreat();
    solution_.ended = fmt::format(
        "the load of {:.6g} is not reached: the specimen bears {:.6g} at {:.3g} times the displacement of an elastic one",
        wanted, solution_.curve.back().load, (factor_ - begin) / way);
  }
  void retreat() {
    for_each(n_, [u = u_.data(), b = before_.data()](std::int64_t i) { u[i] = b[i]; });
    body().voxels().retreat();
  }
  struct trial {
    double factor = 0, load = 0;
  };

  newton_outcome step_to(double next) {
    for_each(n_, [u = u_.data(), b = before_.data(), r = rate_.data(), d = next - factor_](std::int64_t i) {
      u[i] = b[i] + d * static_cast<double>(r[i]);
    });
    set_fixed(next);
    const int most = body().voxels().have_energy() ? most_corrections : most_iterates;
    newton_outcome all;
    load_before_break_.reset();
    do {
      newton_outcome done = body().solve(u_, how_.tolerance, most, how_.max_iterations);
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

  // Fractures at an equilibrium reduce the load at once: the work of the step is that up to the fracture.
  bool breaks(double next) {
    if (body().voxels().have_energy()) return false;
    const double load = load_of_step(next);
    if (body().voxels().break_at(u_.data()) == 0) return false;
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
    std::int64_t voxels = problem_.cells.size();
    comm::all_reduce(problem_.where.comm, &voxels, 1, MPI_SUM);
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

  // The work of all forces on the step's motion divided by the factor: that of the reactions, but exact to second order in
  // the residual, as the tangent forces of the step's motion are nearly zero except at the plates.
  double load_of_step(double next) {
    const std::span<double> y = body().forces(u_.data(), true);
    body().take_balance(y);
    const std::span<double> way = body().multigrid().scratch(0);
    for_each(n_, [w = way.data(), u = u_.data(), b = before_.data(), s = 1 / (next - factor_)](std::int64_t i) {
      w[i] = s * (u[i] - b[i]);
    });
    return (body().work_of_reactions(prescribed_) + body().cg().dot(y.data(), way.data())) / plan_.amount;
  }

  // Voxels whose energy is missing in the sums of the voxels.
  bool has_elastic_materials() const {
    if (!plan_.damage.empty()) return false;
    for (std::size_t m = 1; m < problem_.materials->size(); ++m)
      if (m >= plan_.surfaces.size() || !plan_.surfaces[m].yields()) return true;
    return false;
  }
  // Elastic energy: half the work of the elastic forces of all strains, less the share of the plastic ones.
  double stored_in_all(const step_sums& sums) {
    const std::span<double> y = body().multigrid().scratch(1);
    body().k().own_forces(u_.data(), y.data());
    body().k().add_copies(y.data());
    const double all = body().cg().dot(u_.data(), y.data()) / 2;
    return all - sums.whole_strain_mJ + sums.stored_mJ;
  }

  // The state of voxels is as large as all other data: a file receives some numbers of it at a time from a small buffer, and
  // restores them into one buffer of all, before the path is followed.
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
    if (!how_.checkpoints || !how_.checkpoints->is_due(static_cast<std::int64_t>(solution_.curve.size()) - 1)) return;
    how_.checkpoints->save(state());
    release(states_);
  }

  void restore() {
    solver_state s = state(false);
    how_.checkpoints->restore(s);
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
    solution_.state_bytes = body().voxels().bytes();
    comm::all_reduce(problem_.where.comm, &solution_.state_bytes, 1, MPI_SUM);
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
  std::vector<double> u_, before_;     // the state being computed, and the last converged one
  std::vector<float> rate_, elastic_;  // displacements divided by the factor: of the last step; of the elastic solution
  std::vector<double> prescribed_;     // at factor 1, by place in k().fixed()
  std::vector<float> states_;          // states from a checkpoint
  double elastic_load_ = 0, factor_ = 0, piece_ = 0;
  std::optional<double> load_before_break_;  // load before a fracture in this step
  double slope_ = 0;                         // slope of the last step: load over factor
  failure_path path_;
  failure_solution solution_;
};

}  // namespace

failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& how,
                               const elastic_listener& elastic, log_sink& log) {
  comm::collectively(problem.where.comm, [&] {
    if (!(how.tolerance > 0 && how.tolerance < 1))
      throw usage_error(fmt::format("a tolerance of {}; it lies in (0, 1), e.g. 1e-6", how.tolerance));
    check_plan(plan);
  });
  check_elasticity(problem);
  return walker(problem, plan, how, log).run(elastic);
}

}  // namespace osteon::physics
