#pragma once
/// @file
/// GCR for an advected temperature.
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <osteon/physics/flow/solver/transport/transport_multigrid.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// An incomplete factorisation (D + L) D^-1 (D + U) of transport with central convection. L and U are those of the
/// operator on the cells of this rank with the present weights. The multigrid cycle does not represent central convection.
/// Central convection has large off-diagonal entries of opposite signs. A cycle for the upwind operator represents only
/// half of these entries.
///
/// The pivots are those of an incomplete LU factorisation without fill, but not less than the row sums of |L| and of |U|.
/// The lower limit prevents an amplification of the input by a sweep. Without the limit, crossing velocities would amplify
/// the input from cell to cell.
class transport_factor {
 public:
  /// @param cells used only by the constructor @collective local
  explicit transport_factor(const transport_cells& cells);

  /// x = (D + U)^-1 D (D + L)^-1 r, on the calling thread. @param r, x owned values; must not alias
  void solve(const float* r, float* x) const;

 private:
  std::vector<std::int32_t> begin_{0}, middle_, column_;  // middle_: first columns above the diagonal
  std::vector<float> value_, inverse_;
};

/// Solves K x = b. K has the weights of the scheme. The preconditioner has the weights of the hybrid scheme. For the
/// central scheme, an incomplete factorisation precedes the preconditioner. x and the residual are in double precision.
/// Search directions are in single precision.
class transport_solver {
 public:
  /// @param cells stored by reference; the solver sets the weights of the cells @collective on the communicator of the
  /// grid
  explicit transport_solver(transport_cells& cells);
  /// Continue from the last solution with other velocities. The limiter is evaluated once, for the last solution.
  /// @param taken weight of the new limiter weights; the weights of the cells have the remaining weight
  transport_solver(transport_cells& cells, std::vector<double> start, double taken);

  /// Constructor for time steps, with the preconditioner of other cells.
  transport_solver(transport_cells& cells, std::shared_ptr<transport_multigrid> cycle);

  /// Solve, and set iterations, residuals and convergence of the certificate. The residual is reduced relative to the
  /// initial residual, and the sum of the residual relative to the transferred heat. For some steps, the limiter weights
  /// depend on the temperature. In all later steps the weights are constant. Faces at which the temperature would exceed
  /// its bounds have the weights of the hybrid scheme.
  /// @throws solve_error if a value is not finite @collective
  void solve(heat_convection scheme, const options& solver_options, solve_certificate& certificate, log_sink& log);

  /// Compute a time step from an initial guess. The limiter is evaluated once, for the initial guess. The cells contain
  /// the heat storage. Sets iterations, residual and convergence of the certificate. At convergence, the residual is small
  /// relative to the external and the stored heat of the cells. The sum of the residual is small relative to the
  /// transferred heat.
  /// @param from shape (grid.size); ghosts need not be current @throws as solve @collective
  void step(heat_convection scheme, const std::vector<double>& from, const options& solver_options,
            solve_certificate& certificate);
  void set_cycle(std::shared_ptr<transport_multigrid> cycle) { multigrid_ = std::move(cycle); }
  /// Heat imbalance of the solution, divided by half of the sum of all heat in and out. @collective
  double imbalance() const;

  /// Start the next solution from zero instead of the last solution.
  void restart();
  /// Count the messages of solve() once, on virtual ranks. @collective
  void count_messages(heat_convection scheme);

  /// Shape (grid.size), above the reference; ghosts current.
  const std::vector<double>& answer() const { return x_; }
  /// Set other weights, and return |b - K x| / |b|. @collective
  double residual_with(heat_convection scheme);

 private:
  struct linear_system;

  comm::sent_part part(const char* name) const { return {cells_.grid.where.comm, name}; }
  void exchange_for_bounds();
  bool enforce_bounds(double to, const options& solver_options, solve_certificate& certificate, log_sink& log);
  void update_weights(heat_convection scheme, double taken);
  double find_residual();
  void precondition();
  void factorise(heat_convection scheme);
  bool reduce(double to, const options& solver_options, solve_certificate& certificate, log_sink& log);
  index_blocks blocks() const { return {.count = cells_.grid.owned, .size = 8192}; }
  template <std::size_t N, class Term>
  std::array<double, N> sums(const Term& term) const;

  transport_cells& cells_;
  std::shared_ptr<transport_multigrid> multigrid_;
  std::optional<transport_factor> factor_;  // for central convection
  double first_ = 0;                        // |b|: equals |b - K x| for a uniform x at the reference temperature
  std::optional<double> taken_;
  std::vector<double> x_, r_;
  std::vector<float> right_, z_, w_, coarse_;
};

}  // namespace osteon::physics
