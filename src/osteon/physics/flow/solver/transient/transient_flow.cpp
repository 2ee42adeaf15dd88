#include <osteon/physics/flow/solver/transient/transient_flow.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/physics/flow/solver/openings/periods.hpp>
#include <osteon/physics/flow/solver/openings/through_solver.hpp>
#include <osteon/physics/flow/solver/transient/conditions_in_time.hpp>
#include <osteon/physics/flow/solver/transient/flow_stepper.hpp>

namespace osteon::physics {

namespace {

constexpr double most_time_steps = 1e9;
constexpr double aimed_at = 0.85;       // length of a new step as a fraction of the Courant number
constexpr double too_short = 0.6;       // fraction of the Courant number; below this fraction, steps become longer
constexpr double fastest_growth = 1.5;  // largest ratio of a step to the previous step

void check_plan(const through_problem& problem, const flow_time_plan& plan) {
  fault_list expect;
  expect(plan.end_s > 0 && std::isfinite(plan.end_s), fmt::format("end time {} s must be positive", plan.end_s));
  expect(plan.step_s >= 0 && plan.step_s <= plan.end_s,
         fmt::format("time step {} s must not exceed the end time {} s", plan.step_s, plan.end_s));
  expect(plan.step_s == 0 || plan.end_s / plan.step_s <= most_time_steps,
         fmt::format("time step {} s until {} s results in more than 1e9 steps", plan.step_s, plan.end_s));
  expect(plan.courant > 0 && plan.courant <= 1,
         fmt::format("Courant number {} must be in (0, 1]: explicit convection is unstable above 1", plan.courant));
  expect(plan.implicitness >= 0.5 && plan.implicitness <= 1,
         fmt::format("implicitness {} must be in [0.5, 1]", plan.implicitness));
  expect(plan.record_every_s >= 0, fmt::format("record interval {} s must not be negative", plan.record_every_s));
  expect(plan.steady_change_per_s >= 0,
         fmt::format("steady-state limit {} 1/s must not be negative", plan.steady_change_per_s));
  expect(problem.has_inertia || plan.step_s > 0, "an adaptive time step requires inertia; give the time step");
  expect(problem.has_inertia || plan.start != flow_start::steady,
         "a steady initial flow requires inertia; start from the creeping flow");
  expect(problem.multiples.size() == 1, "a transient flow requires exactly one multiple of the conditions");
  const flow_boundary* given = nullptr;  // boundary that has a given velocity
  bool has_pressure = false;
  for (const flow_boundary& b : problem.boundaries) has_pressure = has_pressure || b.gives_pressure();
  for (const flow_boundary& b : problem.boundaries) {
    if (b.gives_velocity() && given == nullptr) given = &b;
    expect(has_pressure || !b.gives_velocity() ||
               (b.factor.points == given->factor.points && b.factor.period_s == given->factor.period_s),
           fmt::format("{} and {} have different time factors, and no opening has a prescribed pressure; inflow and outflow "
                       "must balance at any time; make one opening an outlet",
                       b.name, given == nullptr ? "" : given->name));
    const auto& points = b.factor.points;
    for (std::size_t n = 0; n < points.size(); ++n)
      expect(std::isfinite(points[n][0]) && std::isfinite(points[n][1]) && (n == 0 || points[n][0] > points[n - 1][0]),
             fmt::format("{}: factor at {} s; times must increase, and times and factors must be finite", b.name,
                         points[n][0]));
    expect(b.factor.period_s >= 0 && (b.factor.period_s == 0 ||
                                      (!points.empty() && points.front()[0] >= 0 && points.back()[0] <= b.factor.period_s)),
           fmt::format("{}: period of {} s must be positive and contain all times of the table", b.name, b.factor.period_s));
    expect(!b.factor.varies() || plan.steady_change_per_s == 0,
           fmt::format("{} varies with time, so that the flow has no steady state; remove the steady-state limit", b.name));
  }
  expect.require_none();
}

std::string too_long(double step_s, double courant, double time_s, double most) {
  return fmt::format(
      "time step {:.4g} s: the Courant number is {:.3g} at {:.4g} s, above the limit of {:.3g}; use a step of at most "
      "{:.3g} s, or omit the step for an adaptive one",
      step_s, courant, time_s, most, step_s * most / courant);
}

std::string too_long_for_weight(double step_s, double time_s, double most_s) {
  return fmt::format(
      "time step {:.4g} s: buoyancy oscillations are unstable at {:.4g} s; use a step of at most {:.3g} s, or omit the step "
      "for an adaptive one",
      step_s, time_s, 2 * most_s);
}

// Throw an error if a given step is too long for the known velocities of openings and walls.
void check_step(const through_problem& problem, const flow_time_plan& plan, const through_outline& known) {
  if (plan.step_s == 0 || !problem.has_inertia) return;
  double highest = 0;
  for (const opening_face& f : known.velocities)
    if (f.boundary >= 0)
      highest = std::max(highest, problem.boundaries[at(f.boundary)].factor.most() * std::abs(f.velocity_mm_per_s) /
                                      problem.spacing_mm[f.side / 2]);
  if (highest * plan.step_s > plan.courant) throw usage_error(too_long(plan.step_s, highest * plan.step_s, 0, plan.courant));
}

// Determines the lengths of steps until `stop`.
class step_rule {
 public:
  step_rule(const flow_time_plan& plan, bool has_inertia) : plan_(plan), follows_(plan.step_s == 0 && has_inertia) {
    fixed_ = plan.step_s > 0 ? plan.end_s / std::ceil(plan.end_s / plan.step_s * (1 - 1e-12)) : 0;
  }
  double fixed() const { return fixed_; }

  // @param rate Courant number per second @param growth growth of the rate at the start
  // @param most_s length of the longest step
  double next(double remaining_s, double last_s, double rate, double growth, double most_s) const {
    if (!follows_) return fixed_;
    // the step dt satisfies (rate + growth dt) dt = C
    const double allowed = [&] {
      if (last_s > 0 || growth == 0) return rate > 0 ? plan_.courant / rate : std::numeric_limits<double>::infinity();
      return (std::sqrt(rate * rate + 4 * growth * plan_.courant) - rate) / (2 * growth);
    }();
    double wanted = last_s;
    if (last_s == 0 || last_s > allowed || last_s < too_short * allowed)
      wanted = last_s == 0 ? aimed_at * allowed : std::min(aimed_at * allowed, fastest_growth * last_s);
    wanted = std::min(wanted, most_s);
    if (!(wanted < remaining_s)) return remaining_s;
    const double step = remaining_s / std::ceil(remaining_s / wanted * (1 - 1e-9));
    return std::abs(step - last_s) < 1e-9 * step ? last_s : step;
  }

 private:
  const flow_time_plan& plan_;
  bool follows_;
  double fixed_;
};

// Conversion of a record to numbers, and of such numbers to a record.
void append(std::vector<double>& to, const flow_record& r) {
  const through_flow& f = r.flow;
  to.insert(to.end(), {r.time_s,
                       r.step_s,
                       r.courant,
                       r.divergence,
                       r.kinetic_energy_J,
                       r.change_per_s,
                       static_cast<double>(r.steps),
                       static_cast<double>(r.iterations),
                       f.inflow_mm3_per_s,
                       f.imbalance,
                       f.pressure_drop_Pa,
                       f.mean_speed_mm_per_s,
                       f.highest_speed_mm_per_s,
                       f.reynolds_number,
                       f.cell_reynolds_number,
                       f.upwinded_share,
                       f.force_on_solid_N.z,
                       f.force_on_solid_N.y,
                       f.force_on_solid_N.x,
                       f.mean_wall_shear_Pa,
                       f.p95_wall_shear_Pa});
  for (const boundary_flow& b : f.boundaries)
    to.insert(to.end(), {static_cast<double>(b.faces), b.area_mm2, b.inflow_mm3_per_s, b.mean_pressure_Pa,
                         b.highest_velocity_mm_per_s});
  for (const vector3& n : f.force_on_label_N) to.insert(to.end(), {n.z, n.y, n.x});
  to.insert(to.end(), f.period_flow_mm3_per_s.begin(), f.period_flow_mm3_per_s.end());
  to.insert(to.end(), f.period_drop_Pa.begin(), f.period_drop_Pa.end());
}
std::vector<flow_record> records_from(const std::vector<double>& from, std::size_t boundaries, std::size_t labels) {
  std::vector<flow_record> history;
  std::size_t at = 0;
  const auto next = [&] { return from.at(at++); };
  while (at < from.size()) {
    flow_record& r = history.emplace_back();
    through_flow& f = r.flow;
    for (double* to : {&r.time_s, &r.step_s, &r.courant, &r.divergence, &r.kinetic_energy_J, &r.change_per_s}) *to = next();
    r.steps = static_cast<std::int64_t>(next());
    r.iterations = static_cast<std::int64_t>(next());
    for (double* to :
         {&f.inflow_mm3_per_s, &f.imbalance, &f.pressure_drop_Pa, &f.mean_speed_mm_per_s, &f.highest_speed_mm_per_s,
          &f.reynolds_number, &f.cell_reynolds_number, &f.upwinded_share, &f.force_on_solid_N.z, &f.force_on_solid_N.y,
          &f.force_on_solid_N.x, &f.mean_wall_shear_Pa, &f.p95_wall_shear_Pa})
      *to = next();
    for (std::size_t b = 0; b < boundaries; ++b) {
      boundary_flow& to = f.boundaries.emplace_back();
      to.faces = static_cast<std::int64_t>(next());
      for (double* value : {&to.area_mm2, &to.inflow_mm3_per_s, &to.mean_pressure_Pa, &to.highest_velocity_mm_per_s})
        *value = next();
    }
    for (std::size_t n = 0; n < labels; ++n) {
      vector3& to = f.force_on_label_N.emplace_back();
      for (int a = 0; a < 3; ++a) to[a] = next();
    }
    for (auto* to : {&f.period_flow_mm3_per_s, &f.period_drop_Pa})
      for (double& value : *to) value = next();
  }
  return history;
}

class flow_in_time {
 public:
  flow_in_time(const through_problem& problem, const flow_time_plan& plan, const through_options& options,
               checkpointer* checkpoints, const flow_record_taker& on_record, log_sink& log)
      : problem_(problem), plan_(plan), options_(options), checkpoints_(checkpoints), on_record_(on_record), log_(log) {}

  transient_flow_solution run() {
    stopwatch watch;
    cpu_clock cpu;
    const through_outline known = validate_conditions(problem_, options_);
    comm::collectively(problem_.where.comm, [&] {
      check_plan(problem_, plan_);
      check_step(problem_, plan_, known);
    });
    const open_flow_cells open = begin_through(problem_, known, solution_.end, log_);
    open_ = &open;
    units_ = units_of(problem_, open.cells, known.velocities);
    if (plan_.carries != nullptr) plan_.carries->begin(open, units_);
    if (options_.poll) options_.poll();
    // Interruptions are processed after a step, because only the state after a step can be saved.
    const int most = options_.counts_messages ? 1 : options_.max_iterations;
    changing_.emplace(problem_, open, known.velocities, units_);
    flow_stepper time(open, problem_, units_, {plan_.implicitness, options_.tolerance, most, {}, changing_->rate_axis()});
    solution_.has_direct_pressure = time.has_direct_pressure();
    log_.note(solution_.has_direct_pressure ? std::string("pressure solver: transforms (the fluid fills a box)")
                                            : fmt::format("pressure solver: multigrid ({})", time.reason_for_multigrid()));
    const flow_stepper::conditions first = changing_->at(0);
    time.set_conditions(first);
    solve_certificate& certificate = solution_.certificate;
    certificate.unknowns = count_unknowns(open);
    certificate.converged = true;
    certificate.setup_seconds = watch.seconds();
    certificate.setup_cpu_seconds = cpu.of_all_ranks(problem_.where.comm);
    clock_.restart();
    cpu.restart();
    if (options_.watch != nullptr) watched_.emplace(open.cells, problem_.cells, *options_.watch);
    if (checkpoints_ != nullptr && checkpoints_->begin() != checkpointer::found::nothing)
      restore(time);
    else
      start(time);
    report_step(time);
    if (options_.counts_messages)
      count_messages(time);
    else
      step_to_the_end(time);
    if (checkpoints_ != nullptr) checkpoints_->finish(saved(time));
    solution_.end.flows = {solution_.history.back().flow};
    if (options_.fields) set_through_fields(problem_, open, time.answer(), units_, 1, solution_.end);
    certificate.iterations = static_cast<int>(solution_.friction_iterations + solution_.pressure_iterations);
    certificate.true_relative_residual = solution_.highest_divergence;
    certificate.solve_seconds = certificate.earlier_seconds + clock_.seconds();
    certificate.solve_cpu_seconds = cpu.of_all_ranks(problem_.where.comm);
    certificate.work = time.work().of_all_ranks(problem_.where.comm);
    solution_.end.flows[0].certificate = certificate;
    return std::move(solution_);
  }

 private:
  void start(flow_stepper& time) {
    if (plan_.carries != nullptr) time.set_body_force(plan_.carries->force(0));
    if (plan_.start == flow_start::rest) {
      accumulate(time.start(true), 0);
    } else {
      const bool creeps = plan_.start == flow_start::creeping;
      through_solver steady(*open_, problem_);
      const double reynolds =
          creeps ? 0
                 : 1e-6 * problem_.density_kg_per_m3 * units_.velocity_mm_per_s * units_.length_mm / problem_.viscosity_Pa_s;
      through_flow flow;
      const double drop_Pa = solve_start(steady, reynolds, flow);
      if (!flow.certificate.converged) {
        solution_.certificate.converged = false;
        log_.warn(fmt::format("the initial {} flow did not reach the tolerance in {} iterations",
                              creeps ? "creeping" : "steady", flow.certificate.iterations));
      }
      time.state() = steady.answer();
      if (creeps && problem_.has_inertia)
        accumulate(time.start(false), 0);  // inertia has an effect from the start, and determines the initial pressure
      else
        time.set_period_drop(drop_Pa / units_.pressure_Pa), time.go_on();
    }
    if (plan_.carries != nullptr) plan_.carries->start(time.state());
    record(time);
    watch(time, true, false);
  }

  // Compute the steady flow of the initial conditions. @return pressure drop over a period for a prescribed flow rate; 0: no
  // flow rate is prescribed
  double solve_start(through_solver& steady, double reynolds, through_flow& flow) {
    const flow_stepper::conditions first = changing_->at(0);
    const auto a = changing_->rate_axis();
    const double rate = changing_->period_rate_at(0);
    // without a pressure drop, nothing drives a flow over the period; however, other openings can cause a flow rate
    if (!a || rate == 0) {
      steady.begin(first.given, first.right, reynolds, 0);
      steady.solve(options_, flow, log_);
      return 0;
    }
    rate_search search(rate, guessed_drop(problem_, solution_.end, *a, rate), options_.tolerance);
    for (double share = 0;; share = search.growth()) {
      period_drops drops{};
      drops[*a] = search.drop();
      flow_entries right = first.right;
      add_period_drops(*open_, units_, drops, right);
      steady.begin(first.given, right, reynolds, share);
      steady.solve(options_, flow, log_);
      find_period_flows(problem_, *open_, steady.answer(), units_, drops, flow);
      if (!flow.certificate.converged || search.is_found(flow.period_flow_mm3_per_s[*a])) return drops[*a];
      if (search.is_exhausted()) {
        flow.certificate.converged = false;
        return drops[*a];
      }
    }
  }

  // Count the messages of one step. The length is that of the first step.
  void count_messages(flow_stepper& time) {
    const step_rule rule(plan_, problem_.has_inertia);
    const double wanted = rule.next(plan_.end_s, 0, time.courant_rate(), time.courant_growth(), changing_->longest_step_s());
    time.count_messages(wanted);
    record(time);
    watch(time, true, true);
  }

  void step_to_the_end(flow_stepper& time) {
    const step_rule rule(plan_, problem_.has_inertia);
    const std::int64_t every =
        rule.fixed() > 0 ? std::max<std::int64_t>(1, std::llround(plan_.record_every_s / rule.fixed())) : 0;
    const double nearly = 1e-9 * plan_.end_s, longest_s = changing_->longest_step_s();
    while (!solution_.is_steady && now_s_ < plan_.end_s - nearly && solution_.certificate.converged) {
      double rate = time.courant_rate();
      if (changing_->vary()) rate = std::max(rate, changing_->rate_at(now_s_ + last_step_s_));
      if (const double now = std::abs(changing_->period_rate_at(now_s_)); now > 0)
        rate *= std::max(1.0, std::abs(changing_->period_rate_at(now_s_ + last_step_s_)) / now);
      double stop = plan_.end_s;
      if (rule.fixed() == 0 && plan_.record_every_s > 0)
        stop = std::min(stop, plan_.record_every_s * std::floor(now_s_ / plan_.record_every_s * (1 + 1e-12) + 1 + 1e-9));
      const double carried_s =
          plan_.carries != nullptr ? plan_.carries->longest_step_s() : std::numeric_limits<double>::infinity();
      const double step_s =
          rule.next(stop - now_s_, last_step_s_, rate, time.courant_growth(), std::min(longest_s, carried_s));
      if (rule.fixed() > 0 && step_s > 2 * carried_s) throw solve_error(too_long_for_weight(step_s, now_s_, carried_s));
      if (rule.fixed() > 0 && problem_.has_inertia && rate * step_s > plan_.courant * (1 + 1e-9))
        throw solve_error(too_long(step_s, rate * step_s, now_s_, plan_.courant));
      if (plan_.carries != nullptr) time.set_body_force(plan_.carries->force(step_s));
      auto outcome = take_step(time, step_s);
      if (plan_.carries != nullptr) outcome.converged = plan_.carries->step(time.state(), step_s) && outcome.converged;
      last_step_s_ = step_s;
      ++solution_.steps;
      now_s_ = rule.fixed() > 0                    ? step_s * static_cast<double>(solution_.steps)
               : stop - (now_s_ + step_s) < nearly ? stop
                                                   : now_s_ + step_s;
      solution_.shortest_step_s = solution_.steps == 1 ? step_s : std::min(solution_.shortest_step_s, step_s);
      solution_.longest_step_s = std::max(solution_.longest_step_s, step_s);
      change_per_s_ = outcome.change / step_s;
      const double courant = time.courant_rate() * step_s;
      accumulate(outcome, courant);
      if (plan_.carries != nullptr) change_per_s_ = std::max(change_per_s_, plan_.carries->change_per_s());
      solution_.is_steady = plan_.steady_change_per_s > 0 && change_per_s_ <= plan_.steady_change_per_s;
      const bool is_last = solution_.is_steady || now_s_ >= plan_.end_s - nearly || !solution_.certificate.converged;
      const bool is_due = rule.fixed() > 0            ? solution_.steps % every == 0
                          : plan_.record_every_s == 0 ? true
                                                      : now_s_ == stop;
      log_.progress(std::min(1.0, now_s_ / plan_.end_s),
                    fmt::format("step {}, {:.4g} s of {:.4g} s, step {:.3g} s, Courant number {:.2f}, divergence {:.1e}, "
                                "iterations {} + {}",
                                solution_.steps, now_s_, plan_.end_s, step_s, courant, outcome.divergence,
                                outcome.friction_iterations, outcome.pressure_iterations));
      if (is_last || is_due) record(time);
      watch(time, is_last || is_due, is_last);
      report_step(time);
      if (!is_last && checkpoints_ != nullptr && checkpoints_->is_due(solution_.steps)) checkpoints_->save(saved(time));
    }
  }

  flow_stepper::step_result take_step(flow_stepper& time, double step_s) {
    if (!changing_->vary()) return time.step(step_s);
    const flow_stepper::conditions from = changing_->at(now_s_), to = changing_->at(now_s_ + step_s);
    return time.step(step_s, &from, &to);
  }

  void report_step(flow_stepper& time) {
    if (!plan_.on_step) return;
    set_through_fields(problem_, *open_, time.answer(), units_, 1, solution_.end);
    plan_.on_step(now_s_, solution_.end);
  }

  void watch(const flow_stepper& time, bool is_record, bool is_last) {
    const flow_moment moment{1, now_s_, solution_.steps, is_record, is_last};
    if (!watched_ || !watched_->wants(moment)) return;
    watched_->report(moment, time.state().data(), units_.velocity_mm_per_s,
                     [&](std::int32_t i) { return units_.lowest_Pa + units_.pressure_Pa * time.pressure_now(i); });
  }

  void accumulate(const flow_stepper::step_result& outcome, double courant) {
    solution_.friction_iterations += outcome.friction_iterations;
    solution_.pressure_iterations += outcome.pressure_iterations;
    since_.courant = std::max(since_.courant, courant);
    since_.divergence = std::max(since_.divergence, outcome.divergence);
    solution_.highest_courant = std::max(solution_.highest_courant, courant);
    solution_.highest_divergence = std::max(solution_.highest_divergence, outcome.divergence);
    solution_.certificate.residual_history.push_back(outcome.divergence);
    if (!outcome.converged) {
      solution_.certificate.converged = false;
      log_.warn(fmt::format("step {} did not reach its tolerance in {} iterations of friction and {} of the pressure",
                            solution_.steps, outcome.friction_iterations, outcome.pressure_iterations));
    }
  }

  void record(flow_stepper& time) {
    const comm::sent_part sends(problem_.where.comm, "record");
    flow_record& r = solution_.history.emplace_back();
    r.time_s = now_s_;
    r.step_s = last_step_s_;
    r.courant = since_.courant;
    r.divergence = since_.divergence;
    r.kinetic_energy_J = time.kinetic_energy();
    r.change_per_s = change_per_s_;
    r.steps = solution_.steps;
    r.iterations = solution_.friction_iterations + solution_.pressure_iterations;
    since_ = {};
    const std::vector<double> x = time.answer();
    const flow_convection* const inertia = time.inertia();
    const through_problem& now = changing_->problem_at(now_s_);
    find_boundary_flows(now, *open_, x, units_, r.flow);
    period_drops drops = changing_->drops_at(now_s_);
    if (const auto a = changing_->rate_axis()) drops[*a] = units_.pressure_Pa * time.period_drop();
    find_period_flows(problem_, *open_, x, units_, drops, r.flow);
    find_force(problem_, *open_, x, units_, inertia, r.flow);
    find_speeds(problem_, *open_, x, units_, solution_.end, r.flow);
    find_wall_shear_of(now, *open_, x, units_, r.flow, nullptr);
    r.flow.upwinded_share = time.upwinded_share();
    if (plan_.carries != nullptr) plan_.carries->record(now_s_);
    if (!on_record_) return;
    if (plan_.has_fields) set_through_fields(problem_, *open_, x, units_, 1, solution_.end);
    on_record_(solution_.history, solution_.end);
  }

  solver_state saved(flow_stepper& time) {
    solver_state s = time.saved();
    const transient_flow_solution& all = solution_;
    s.numbers["steps"] = {static_cast<double>(all.steps)};
    s.numbers["time"] = {now_s_, last_step_s_, change_per_s_, since_.courant, since_.divergence};
    s.numbers["iterations"] = {static_cast<double>(all.friction_iterations), static_cast<double>(all.pressure_iterations)};
    s.numbers["worst"] = {all.shortest_step_s, all.longest_step_s, all.highest_courant, all.highest_divergence};
    s.numbers["state"] = {static_cast<double>(all.certificate.converged), static_cast<double>(all.is_steady)};
    s.numbers["residual_history"] = all.certificate.residual_history;
    s.numbers["seconds"] = {all.certificate.earlier_seconds + clock_.seconds()};
    s.numbers["history"];
    for (const flow_record& r : all.history) append(s.numbers["history"], r);
    return s;
  }

  void restore(flow_stepper& time) {
    solver_state s = saved(time);
    checkpoints_->restore(s);
    time.restored(s);
    if (plan_.carries != nullptr) plan_.carries->start(time.state());
    transient_flow_solution& all = solution_;
    const auto number = [&](const char* name, std::size_t n) { return s.numbers.at(name).at(n); };
    all.steps = static_cast<std::int64_t>(number("steps", 0));
    now_s_ = number("time", 0);
    last_step_s_ = number("time", 1);
    change_per_s_ = number("time", 2);
    since_.courant = number("time", 3);
    since_.divergence = number("time", 4);
    all.friction_iterations = static_cast<std::int64_t>(number("iterations", 0));
    all.pressure_iterations = static_cast<std::int64_t>(number("iterations", 1));
    all.shortest_step_s = number("worst", 0);
    all.longest_step_s = number("worst", 1);
    all.highest_courant = number("worst", 2);
    all.highest_divergence = number("worst", 3);
    all.certificate.converged = number("state", 0) != 0;
    all.is_steady = number("state", 1) != 0;
    all.certificate.residual_history = s.numbers.at("residual_history");
    all.certificate.earlier_seconds = number("seconds", 0);
    all.history = records_from(s.numbers.at("history"), problem_.boundaries.size(), problem_.labelled.names.size());
  }

  const through_problem& problem_;
  const flow_time_plan& plan_;
  const through_options& options_;
  checkpointer* checkpoints_;
  const flow_record_taker& on_record_;
  log_sink& log_;
  stopwatch clock_;
  const open_flow_cells* open_ = nullptr;
  flow_units units_;
  std::optional<conditions_in_time> changing_;
  std::optional<watched_cells> watched_;
  transient_flow_solution solution_;
  double now_s_ = 0, last_step_s_ = 0, change_per_s_ = 0;
  struct {
    double courant = 0, divergence = 0;
  } since_;  // maxima since the last record
};

}  // namespace

void check_transient_flow(const through_problem& problem, const flow_time_plan& plan, const through_options& options) {
  const through_outline known = validate_conditions(problem, options);
  comm::collectively(problem.where.comm, [&] {
    check_plan(problem, plan);
    check_step(problem, plan, known);
  });
}

transient_flow_solution solve_transient_flow(const through_problem& problem, const flow_time_plan& plan,
                                             const through_options& options, checkpointer* checkpoints,
                                             const flow_record_taker& on_record, log_sink& log) {
  return flow_in_time(problem, plan, options, checkpoints, on_record, log).run();
}

}  // namespace osteon::physics
