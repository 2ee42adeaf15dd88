#pragma once
/// @file
/// Van Leer's limiter for the convection of momentum.
#include <osteon/physics/flow/solver/openings/convection.hpp>

namespace osteon::physics {

/// Permitted fraction of central differences, 0 to 1, on each control volume side with a Reynolds number that requires
/// upwind differences. The ratio r is the velocity change across the upstream side divided by the velocity change across
/// the side itself:
///   fraction = min(1, 2 r / (1 + r)), r > 0; else 0.
/// The scheme is between first-order upwind and central differences, in the range that preserves monotone profiles
/// [Sweby1984]. For smooth velocities the scheme is central up to second-order terms. Because the fraction never exceeds
/// 1, convection dissipates kinetic energy and produces none. The two control volumes of a side use the same fraction,
/// because the outflow of one volume is the inflow of the other volume. The fraction is 0 on sides at openings and at
/// walls without an upstream velocity.
/// @cite [vanLeer1974], [Sweby1984]
class momentum_limiter {
 public:
  /// Initialise all shares to 0. @param cells stored by reference
  explicit momentum_limiter(const flow_cells& cells);

  void forget();
  /// Compute shares from velocities. @param x shape (3, stride), ghosts current @param taken weight of the new shares; the
  /// old shares have the remaining weight @collective on the communicator of the cells
  void update_weights(const double* x, double taken);

  const central_shares& shares() const { return shares_; }

 private:
  const flow_cells& cells_;
  central_shares shares_;
};

}  // namespace osteon::physics
