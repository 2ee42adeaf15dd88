#pragma once
/// @file
/// GCR for a temperature that a flow carries.
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

/// An incomplete factorisation of transport with central convection, which the multigrid cycle does not see:
/// (D + L) D^-1 (D + U) with L and U of the operator on this rank's cells, its weights as they are: what is convected
/// centrally has large off-diagonals of opposite signs, of which a cycle for the upwind operator sees the half.
///
/// The pivots are those of an incomplete LU factorisation without fill, but at least the row sums of |L| and of |U|, so
/// that neither sweep lets anything grow: without that, velocities across each other amplify it from cell to cell.
class transport_factor {
 public:
  /// @param cells read by the constructor only @collective local
  explicit transport_factor(const transport_cells& cells);

  /// x = (D + U)^-1 D (D + L)^-1 r, on the calling thread. @param r, x owned values; not the same array
  void solve(const float* r, float* x) const;

 private:
  std::vector<std::int32_t> begin_{0}, middle_, column_;  // middle_: where the columns above the diagonal begin
  std::vector<float> value_, inverse_;
};

/// Solves K x = b; the weights of K are those of the scheme, the preconditioner is of the hybrid one; for the central
/// scheme a factorisation of that goes before it. x and the residual are in double precision, directions in single.
class transport_solver {
 public:
  /// @param cells kept by reference; its weights are set @collective on the communicator of the grid
  explicit transport_solver(transport_cells& cells);
  /// Goes on from the answer for other velocities. Then the limiter looks once, at that.
  /// @param taken share of the limiter's new weights; the rest is of those of the cells
  transport_solver(transport_cells& cells, std::vector<double> start, double taken);

  /// For steps in time, with a preconditioner that is not that of the cells.
  transport_solver(transport_cells& cells, std::shared_ptr<transport_multigrid> cycle);

  /// Sets iterations, residuals and convergence of the certificate. The residual is small against its start, and its sum
  /// against the heat that passes. The limiter follows the temperature for some steps, then
  /// its weights stay, but for faces at which the temperature would leave its bounds: these become those of the hybrid
  /// scheme.
  /// @throws solve_error if a value is not finite @collective
  void solve(heat_convection scheme, const options& how, solve_certificate& certificate, log_sink& log);

  /// A step in time, for which the cells hold what is stored, from a guess at the answer that the limiter looks at once.
  /// Sets iterations, residual and convergence of the certificate: the residual is small against the heat that comes to the
  /// cells from outside and that which they take up, and its sum against the heat that passes.
  /// @param from shape (grid.size); ghosts need not be current @throws as solve @collective
  void step(heat_convection scheme, const std::vector<double>& from, const options& how, solve_certificate& certificate);
  void set_cycle(std::shared_ptr<transport_multigrid> cycle) { multigrid_ = std::move(cycle); }
  /// Of the answer: what is left of the balance of heat, over half of all heat that comes and goes. @collective
  double imbalance() const;

  /// The next solution begins at zero, not at the last one.
  void restart();
  /// Send whatever solve() may send, once each part, on virtual ranks. @collective
  void rehearse(heat_convection scheme);

  /// Shape (grid.size), above the reference; ghosts current.
  const std::vector<double>& answer() const { return x_; }
  /// |b - K x| / |b| with other weights, which are set. @collective
  double residual_with(heat_convection scheme);

 private:
  struct linear_system;

  comm::sent_part part(const char* name) const { return {cells_.grid.where.comm, name}; }
  void exchange_for_bounds();
  bool hold_bounds(double to, const options& how, solve_certificate& certificate, log_sink& log);
  void look_again(heat_convection scheme, double taken);
  double find_residual();
  void precondition();
  void factorise(heat_convection scheme);
  bool reduce(double to, const options& how, solve_certificate& certificate, log_sink& log);
  index_blocks blocks() const { return {.count = cells_.grid.owned, .size = 8192}; }
  template <std::size_t N, class Term>
  std::array<double, N> sums(const Term& term) const;

  transport_cells& cells_;
  std::shared_ptr<transport_multigrid> multigrid_;
  std::optional<transport_factor> factor_;  // of central convection
  double first_ = 0;                        // |b|, which is |b - K x| of the reference everywhere
  std::optional<double> taken_;
  std::vector<double> x_, r_;
  std::vector<float> right_, z_, w_, coarse_;
};

}  // namespace osteon::physics
