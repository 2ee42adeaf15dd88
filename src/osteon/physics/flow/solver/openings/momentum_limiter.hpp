#pragma once
/// @file
/// Van Leer's limiter for the convection of momentum.
#include <osteon/physics/flow/solver/openings/convection.hpp>

namespace osteon::physics {

/// Permitted fraction of central differences on each side of a control volume, from 0 to 1. The fraction applies to sides
/// with a Reynolds number that requires upwind differences. The ratio r is the change of velocity across the upstream side,
/// divided by the change of velocity across the side:
///   fraction = min(1, 2 r / (1 + r)), r > 0; else 0.
/// The scheme is between first-order upwind and central differences. This range of schemes preserves monotone profiles
/// [Sweby1984]. For smooth velocities, the scheme is central up to second-order terms. The fraction never exceeds 1.
/// Convection therefore dissipates kinetic energy, and produces no kinetic energy. The two control volumes of a side have
/// the same fraction, because the outflow of one volume is the inflow of the other volume. On sides at openings, and at
/// walls without an upstream velocity, the fraction is 0.
/// @cite [vanLeer1974], [Sweby1984]
class momentum_limiter {
 public:
  /// Set all fractions to 0. @param cells borrowed
  explicit momentum_limiter(const flow_cells& cells);

  void forget();
  /// Compute the fractions from velocities. @param x shape (3, stride) with current ghosts @param taken weight of the new
  /// fractions; the old fractions have the weight 1 - taken @collective on the communicator of the cells
  void update_weights(const double* x, double taken);

  const central_shares& shares() const { return shares_; }

 private:
  const flow_cells& cells_;
  central_shares shares_;
};

}  // namespace osteon::physics
