#include <cmath>
#include <osteon/base/stopwatch.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/flow/solver/openings/through_solver.hpp>

namespace osteon::physics {

through_solver::through_solver(const open_flow_cells& cells, const through_problem& problem)
    : system_(cells), creeping_(system_) {
  if (problem.has_inertia) inertial_.emplace(system_, creeping_, problem);
}

void through_solver::set_time_step(double density_over_step) {
  if (inertial_) inertial_->system().set_time_step(density_over_step);
}

void through_solver::begin(const std::vector<std::pair<std::int64_t, double>>& given,
                           const std::vector<std::pair<std::int64_t, double>>& right, double reynolds,
                           double factor_of_last) {
  system_.begin(given, right, factor_of_last);
  is_inertial_ = reynolds > 0;
  if (is_inertial_) inertial_->begin(reynolds);
}

// @return true if the tolerance is reached
bool through_solver::solve_from_start(const through_options& options, through_flow& answer, log_sink& log) {
  if (!is_inertial_) return creeping_.solve(options.tolerance, options, answer, log);
  if (inertial_->system().is_time_step()) return inertial_->solve_time_step(options, answer, log);
  return inertial_->solve_steady(has_answer_, options, answer, log);
}

// Execute each remaining communication of a solve once with arbitrary values.
void through_solver::count_other_messages(const through_options& options, through_flow& answer) {
  system_.imbalance();
  system_.size_of_answer();
  creeping_.count_messages();
  if (is_inertial_) inertial_->count_messages(options, answer);
}

void through_solver::solve(const through_options& options, through_flow& answer, log_sink& log) {
  const stopwatch clock;
  const cpu_clock cpu;
  solve_certificate& certificate = answer.certificate;
  certificate = {};
  answer.steady_history.clear();
  if (is_inertial_) {
    inertial_->system().begin_work();
    inertial_->system().find_residual();
  } else {
    creeping_.find_residual();
  }
  const double first_residual = system_.begin_norm();
  certificate.residual_history.assign(1, 1.0);
  certificate.converged = solve_from_start(options, answer, log);
  if (options.counts_messages) count_other_messages(options, answer);
  has_answer_ = certificate.converged;
  certificate.true_relative_residual = first_residual > 0 ? system_.residual() / first_residual : 0;
  certificate.restarts = static_cast<int>(answer.steady_history.size()) - 1;
  if (is_inertial_) certificate.work += inertial_->system().work();
  certificate.work = certificate.work.of_all_ranks(system_.comm());
  certificate.solve_seconds = clock.seconds();
  certificate.solve_cpu_seconds = cpu.of_all_ranks(system_.comm());
}

}  // namespace osteon::physics
