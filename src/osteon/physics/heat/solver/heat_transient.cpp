#include <osteon/physics/heat/solver/heat_transient.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

void check_plan(const heat_problem& problem, const time_plan& plan) {
  require<usage_error>(
      plan.step_s > 0 && plan.end_s >= plan.step_s && std::isfinite(plan.end_s) && plan.end_s / plan.step_s <= 1e9,
      "time step size {} s, end time {} s: must satisfy 0 < step <= end, with at most 1e9 steps", plan.step_s, plan.end_s);
  require<usage_error>(plan.implicitness >= 0.5 && plan.implicitness <= 1,
                       "implicitness {}: must be in [0.5, 1]; steps are unstable below 0.5", plan.implicitness);
  require<usage_error>(plan.steps_per_record >= 1, "steps per record: {}; must be at least 1", plan.steps_per_record);
  require<usage_error>(std::isfinite(plan.initial_K), "the initial temperature is not finite");
  for (const material_number m : problem.material)
    if (m >= plan.heat_capacity_J_per_mm3K.size() || !(plan.heat_capacity_J_per_mm3K[m] > 0) ||
        !std::isfinite(plan.heat_capacity_J_per_mm3K[m]))
      throw usage_error(fmt::format("material {} ({}): the heat capacity must be positive; specify a value in J/(mm3 K)", m,
                                    (*problem.materials)[m].name));
}

// Check the problem and the plan. @return common positions of the periodic faces @collective
std::array<face_match, 3> check_steps(const heat_problem& problem, const time_plan& plan) {
  check_conduction(problem);
  comm::collectively(problem.where.comm, [&] { check_plan(problem, plan); });
  const auto faces =
      match_faces(problem.where, with_ghosts(problem.where, problem.cells, problem.periodic), problem.periodic);
  check_periodic_faces(faces);
  return faces;
}

// Conversion of a record to numbers of a checkpoint, and of such numbers to a record.
constexpr std::size_t numbers_of_record = 11;
void append(std::vector<double>& to, const heat_record& r) {
  to.insert(to.end(), {r.time_s, r.mean_K, r.low_K, r.high_K, r.stored_W});
  for (const auto& pair : r.inflow_W) to.insert(to.end(), pair.begin(), pair.end());
}
heat_record record_at(const std::vector<double>& from, std::size_t i) {
  heat_record r{from.at(i), from.at(i + 1), from.at(i + 2), from.at(i + 3), {}, from.at(i + 4)};
  for (std::size_t k = 0; k < 6; ++k) r.inflow_W[k / 2][k % 2] = from.at(i + 5 + k);
  return r;
}

class stepper {
 public:
  stepper(const heat_problem& problem, const time_plan& plan, const heat_cells& cells, double step_s)
      : plan_(plan),
        cells_(cells),
        conduction_(cells.stencil<double>()),
        load_(load_of(problem, cells, plan.initial_K, problem.gradient_K_per_mm)),
        made_(generated_heat_W(problem)),
        solver_(cells),
        above_initial_(at(cells.size)),
        heat_(at(cells.size)) {
    std::fill(conduction_.storage.begin(), conduction_.storage.end(), 0.0);
    const vector3 h = problem.spacing_mm;
    rate_.resize(plan.heat_capacity_J_per_mm3K.size());
    for (std::size_t m = 0; m < rate_.size(); ++m) rate_[m] = plan.heat_capacity_J_per_mm3K[m] * h.z * h.y * h.x / step_s;
  }

  /// Compute one time step. @return record with the heat flows and the storage rate of the step @collective
  heat_record step(const options& options, solve_certificate& total, log_sink& log) {
    const double w = plan_.implicitness;
    cells_.links.exchange(above_initial_.data());
    for_each_flux(conduction_, above_initial_.data(),
                  [&](std::int32_t i, double flux) { heat_[at(i)] = (load_.in_cell ? load_.in_cell(i) : 0) - flux; });
    for (const outer_face& f : cells_.outer) {
      const face_drive d = load_.at_face(f);
      heat_[at(f.cell)] += d.heat_W + cells_.conductance(f) * d.rise_K;
    }
    solve_certificate certificate;
    const std::vector<double>& change =
        solver_.solve({[&](std::int32_t i) { return heat_[at(i)] / w; }, {}}, options, certificate, log);
    heat_record record;
    record.stored_W = solver_.total([&](std::int32_t i) { return rate_[cells_.material[at(i)]] * change[at(i)]; });
    // The heat flows are balanced for the temperature that is weighted by the implicitness.
    const auto advance = [&](double part) {
      for_each(cells_.walls, [&](std::int64_t i) { above_initial_[at(i)] += part * change[at(i)]; });
    };
    advance(w);
    const outer_inflow entered = inflows(cells_, load_, above_initial_);
    record.inflow_W = entered.by_side;
    advance(1 - w);
    total.iterations += certificate.iterations;
    total.work += certificate.work;
    total.converged = total.converged && certificate.converged;
    total.residual_history = std::move(certificate.residual_history);
    const auto raise = [](double& worst, double value) { worst = std::max(worst, value); };
    raise(total.true_relative_residual, certificate.true_relative_residual);
    raise(total.energy_identity_error, certificate.energy_identity_error);
    raise(total.reaction_imbalance, heat_imbalance(entered, made_ - record.stored_W));
    return record;
  }

  /// Set the time and the temperatures of a record. @collective
  void observe(heat_record& record, double time_s) {
    record.time_s = time_s;
    const auto n = static_cast<double>(total_cells());
    record.mean_K = plan_.initial_K + solver_.total([&](std::int32_t i) { return above_initial_[at(i)]; }) / n;
    const auto [low, high] = extremes(cells_.where.comm, temperatures());
    record.low_K = plan_.initial_K + low;
    record.high_K = plan_.initial_K + high;
  }

  std::int64_t total_cells() const { return comm::sum_over_ranks(cells_.where.comm, cells_.owned); }
  double made_W() const { return made_; }
  /// Temperatures of the owned cells relative to the initial temperature. These temperatures are the complete state that the
  /// next step needs.
  std::span<double> temperatures() { return std::span(above_initial_).first(at(cells_.owned)); }
  std::vector<double> temperature() const {
    std::vector<double> t(above_initial_.begin(), above_initial_.begin() + cells_.owned);
    for (double& value : t) value += plan_.initial_K;
    return t;
  }

 private:
  const time_plan& plan_;
  const heat_cells& cells_;
  kernel::conduction_stencil<double> conduction_;  // this operator does not include storage
  heat_load load_;
  double made_;
  heat_solver solver_;
  std::vector<double> above_initial_;  // temperatures relative to the initial temperature; the values of walls are zero
  std::vector<double> heat_;           // heat gain of each cell at the temperatures above_initial_
  std::vector<double> rate_;           // for each material: heat capacity of a cell divided by the step [W/K]
};

}  // namespace

void check_transient(const heat_problem& problem, const time_plan& plan) { check_steps(problem, plan); }

transient_solution solve_transient(const heat_problem& problem, const time_plan& plan, const options& options,
                                   log_sink& log) {
  check_tolerance(options);
  stopwatch watch;
  cpu_clock cpu;
  transient_solution solution;
  solution.periodic_faces = check_steps(problem, plan);
  const auto steps = static_cast<std::int64_t>(std::ceil(plan.end_s / plan.step_s * (1 - 1e-12)));
  solution.step_s = plan.end_s / static_cast<double>(steps);
  auto cells = all_cells(problem);
  const vector3 h = problem.spacing_mm;
  for (std::size_t m = 0; m < std::min(cells.storage.size(), plan.heat_capacity_J_per_mm3K.size()); ++m)
    cells.storage[m] = plan.heat_capacity_J_per_mm3K[m] * h.z * h.y * h.x / (plan.implicitness * solution.step_s);
  stepper time(problem, plan, cells, solution.step_s);
  solution.certificate.unknowns = time.total_cells();
  solution.certificate.converged = true;
  solution.source_W = time.made_W();
  solution.certificate.setup_seconds = watch.seconds();
  solution.certificate.setup_cpu_seconds = cpu.of_all_ranks(problem.where.comm);

  watch.restart();
  cpu.restart();
  solve_certificate& certificate = solution.certificate;
  std::int64_t taken = 0;
  const auto saved = [&] {
    solver_state s{"steps", problem.where, &problem.cells, false, {}, {}};
    s.vectors = {{"temperature", time.temperatures(), {1, 0, 1}}};
    s.numbers = {
        {"steps", {static_cast<double>(taken)}},
        {"iterations", {static_cast<double>(certificate.iterations)}},
        {"converged", {static_cast<double>(certificate.converged)}},
        {"residual_history", certificate.residual_history},
        {"worst", {certificate.true_relative_residual, certificate.energy_identity_error, certificate.reaction_imbalance}},
        {"seconds", {certificate.earlier_seconds + watch.seconds()}}};
    for (const heat_record& r : solution.history) append(s.numbers["history"], r);
    return s;
  };
  if (options.checkpoints && options.checkpoints->begin() != checkpointer::found::nothing) {
    solver_state s = saved();
    options.checkpoints->restore(s);
    taken = static_cast<std::int64_t>(s.numbers.at("steps").at(0));
    certificate.iterations = static_cast<int>(s.numbers.at("iterations").at(0));
    certificate.converged = s.numbers.at("converged").at(0) != 0;
    certificate.residual_history = s.numbers.at("residual_history");
    const std::vector<double>& worst = s.numbers.at("worst");
    certificate.true_relative_residual = worst.at(0);
    certificate.energy_identity_error = worst.at(1);
    certificate.reaction_imbalance = worst.at(2);
    certificate.earlier_seconds = s.numbers.at("seconds").at(0);
    const std::vector<double>& history = s.numbers.at("history");
    for (std::size_t i = 0; i < history.size(); i += numbers_of_record) solution.history.push_back(record_at(history, i));
  } else {
    time.observe(solution.history.emplace_back(), 0);
    if (plan.on_record) plan.on_record(solution.history, time.temperature());
  }
  for (std::int64_t n = taken + 1; n <= steps; ++n) {
    heat_record record = time.step(options, solution.certificate, null_log());
    const double now = solution.step_s * static_cast<double>(n);
    if (n % plan.steps_per_record == 0 || n == steps) {
      time.observe(record, now);
      solution.history.push_back(record);
      if (plan.on_record) plan.on_record(solution.history, time.temperature());
    }
    log.progress(static_cast<double>(n) / static_cast<double>(steps), fmt::format("step {} of {}, {:.4g} s", n, steps, now));
    taken = n;
    if (options.checkpoints && n < steps && options.checkpoints->is_due(n)) options.checkpoints->save(saved());
  }
  if (options.checkpoints) options.checkpoints->finish(saved());
  solution.temperature_K = time.temperature();
  certificate.solve_seconds = certificate.earlier_seconds + watch.seconds();
  certificate.solve_cpu_seconds = cpu.of_all_ranks(problem.where.comm);
  return solution;
}

}  // namespace osteon::physics
