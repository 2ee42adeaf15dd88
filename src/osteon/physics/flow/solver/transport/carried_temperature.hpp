#pragma once
/// @file
/// The temperature of natural convection in each outer iteration.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/transport/transport_solver.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// Computes the temperature for the velocities of an outer iteration. Each solution uses the last solution as initial guess.
class carried_temperature {
 public:
  explicit carried_temperature(const temperature_problem& problem) : problem_(problem) {
    problem_.may_return = problem_.holds_at_rest = true;
    problem_.face_velocity_mm_per_s.clear();
  }

  /// @param taken weight of the present limiter; with the weight 1, previous values are discarded
  /// @param from temperature at the previous step @param per_s inverse of the step length; 0: the steady temperature
  bool solve(const std::vector<double>& velocities, double tolerance, double taken, const std::vector<double>& from,
             double per_s, log_sink& log) {
    problem_.face_velocity_mm_per_s = velocities;
    std::vector<double> start;
    if (cells_.grid.size == 0)
      cells_ = make_transport_cells(problem_, null_log());
    else
      take_velocities(problem_, cells_, null_log()), start = std::move(x_);
    if (per_s > 0) {
      const vector3 h = problem_.spacing_mm;
      const double held = per_s * problem_.heat_capacity_J_per_mm3K * h.z * h.y * h.x;
      for (std::size_t i = 0; i < from.size(); ++i) {
        cells_.loose[i] += held;
        cells_.right[i] += held * from[i];
      }
    }
    cells_.enforces_bounds = per_s == 0;
    solve_certificate own;
    const auto run = [&](transport_solver solver) {
      solver.solve(problem_.convection, {tolerance, solver_options_.max_iterations, solver_options_.checkpoints}, own, log);
      x_ = solver.answer();
    };
    if (start.empty())
      run(transport_solver(cells_));
    else
      run(transport_solver(cells_, std::move(start), taken));
    own.unknowns = cells_.grid.owned;
    comm::all_reduce(problem_.where.comm, &own.unknowns, 1, MPI_SUM);
    certificate_.iterations += own.iterations;
    own.iterations = certificate_.iterations;
    own.restarts += certificate_.restarts;
    own.solve_seconds += certificate_.solve_seconds;
    certificate_ = own;
    return own.converged;
  }
  void set_options(const options& solver_options) { solver_options_ = solver_options; }

  const temperature_problem& problem() const { return problem_; }
  const transport_cells& cells() const { return cells_; }
  const solve_certificate& certificate() const { return certificate_; }
  /// Temperature of each cell that has a temperature, relative to the reference temperature of the cells.
  std::vector<double> owned() const { return {x_.begin(), x_.begin() + cells_.grid.owned}; }

  /// The last solution, and the data that belong to this solution. After trial solutions, the solution and the data are
  /// restored.
  struct saved_solution {
    std::vector<double> x, velocities;
    std::array<std::vector<float>, 3> weight;
    solve_certificate certificate;
  };
  saved_solution save() const { return {x_, problem_.face_velocity_mm_per_s, cells_.weight, certificate_}; }
  /// Continue with the number of iterations of the saved state.
  void restore(saved_solution saved) {
    saved.certificate.iterations = certificate_.iterations;
    saved.certificate.solve_seconds = certificate_.solve_seconds;
    x_ = std::move(saved.x);
    problem_.face_velocity_mm_per_s = std::move(saved.velocities);
    cells_.weight = std::move(saved.weight);
    certificate_ = std::move(saved.certificate);
  }

  temperature_solution account(log_sink& log, bool may_return) {
    problem_.may_return = may_return;
    take_velocities(problem_, cells_, log);
    temperature_solution all;
    all.certificate = certificate_;
    account_for_heat(problem_, cells_, levelled(cells_, x_), all);
    return all;
  }

 private:
  temperature_problem problem_;
  transport_cells cells_;
  options solver_options_;
  std::vector<double> x_;
  solve_certificate certificate_;
};

}  // namespace osteon::physics
