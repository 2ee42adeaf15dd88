#pragma once
/// @file
/// GCR for a transported temperature.
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

/// An incomplete factorisation (D + L) D^-1 (D + U) of the operator of transport with central convection. L and U contain
/// the entries of the operator between the cells of this rank, with the present weights. The multigrid cycle does not
/// represent central convection. Central convection has large off-diagonal entries with opposite signs. A cycle for the
/// upwind operator represents only half of these entries.
///
/// The pivots are those of an incomplete LU factorisation without fill-in, but at least the row sums of |L| and of |U|. With
/// this lower limit, a sweep does not amplify its input. Without the limit, crossing velocities would amplify the input from
/// cell to cell.
class transport_factor {
 public:
  /// @param cells only the constructor uses the cells @collective local
  explicit transport_factor(const transport_cells& cells);

  /// x = (D + U)^-1 D (D + L)^-1 r. The calling thread computes x. @param r, x values in owned cells; r and x must not
  /// overlap
  void solve(const float* r, float* x) const;

 private:
  std::vector<std::int32_t> begin_{0}, middle_, column_;  // middle_ contains the first columns above the diagonal
  std::vector<float> value_, inverse_;
};

/// Solves K x = b. K has the weights of the requested scheme. The preconditioner has the weights of the hybrid scheme. For
/// the central scheme, an incomplete factorisation precedes the preconditioner. x and the residual are in double precision.
/// Search directions are in single precision.
class transport_solver {
 public:
  /// @param cells borrowed; the solver sets the weights of the cells @collective on the communicator of the grid
  explicit transport_solver(transport_cells& cells);
  /// Continue from the last solution with other velocities. The limiter is evaluated only once, for the last solution.
  /// @param taken weight of the new weights of the limiter; the present weights of the cells have the weight 1 - taken
  transport_solver(transport_cells& cells, std::vector<double> start, double taken);

  /// Constructor for time steps. The preconditioner of other cells is used.
  transport_solver(transport_cells& cells, std::shared_ptr<transport_multigrid> cycle);

  /// Solve, and set the iterations, residuals and convergence of the certificate. Two quantities decrease: the residual
  /// relative to the initial residual, and the sum of the residual relative to the transferred heat. In the first steps, the
  /// weights of the limiter depend on the temperature. In all later steps, the weights are constant. At faces where the
  /// temperature would exceed its bounds, the weights are those of the hybrid scheme.
  /// @throws solve_error if a value is not finite @collective
  void solve(heat_convection scheme, const options& solver_options, solve_certificate& certificate, log_sink& log);

  /// Compute a time step from an initial guess. The limiter is evaluated only once, for the initial guess. The cells must
  /// contain the heat storage. The function sets the iterations, residual and convergence of the certificate. After
  /// convergence, the residual is small relative to the external heat and the stored heat of the cells. The sum of the
  /// residual is small relative to the transferred heat.
  /// @param from initial guess with shape (grid.size); ghosts need not be current @throws errors of solve @collective
  void step(heat_convection scheme, const std::vector<double>& from, const options& solver_options,
            solve_certificate& certificate);
  void set_cycle(std::shared_ptr<transport_multigrid> cycle) { multigrid_ = std::move(cycle); }
  /// Imbalance of the heat in the solution, divided by half of the sum of all heat into and out of the cells. @collective
  double imbalance() const;

  /// Use zero instead of the last solution as the next initial guess.
  void restart();
  /// Count the messages of solve() once on virtual ranks. @collective
  void count_messages(heat_convection scheme);

  /// Temperature relative to the reference with shape (grid.size). The ghosts are current.
  const std::vector<double>& answer() const { return x_; }
  /// Set the weights of another scheme, and return |b - K x| / |b|. @collective
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
