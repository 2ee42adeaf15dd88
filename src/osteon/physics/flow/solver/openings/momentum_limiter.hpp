#pragma once
/// @file
/// Van Leer's limiter for the convection of momentum.
#include <osteon/physics/flow/solver/openings/convection.hpp>

namespace osteon::physics {

/// How much of central differences a side of a control volume may have, 0 to 1, where its Reynolds number asks for upwind
/// differences: that of the change of the velocity over the side upstream to that over this one,
///   share = min(1, 2 r / (1 + r)), r > 0; else 0.
/// With it a side lies between first order upwind and central differences, within what keeps a monotone profile monotone
/// [Sweby1984]; where the velocity is smooth it is central up to terms of second order. As it never goes beyond central,
/// convection by it takes kinetic energy and makes none. Both control volumes of a side see the same share: what leaves one
/// enters the other. Sides at openings and at walls upstream of which there is no velocity have none: 0.
/// @cite [vanLeer1974], [Sweby1984]
class momentum_limiter {
 public:
  /// All shares are 0. @param cells kept by reference
  explicit momentum_limiter(const flow_cells& cells);

  void forget();
  /// Shares of velocities. @param x shape (3, stride), ghosts current @param taken of the new shares, the rest is of the old
  /// ones @collective on the communicator of the cells
  void look(const double* x, double taken);

  const central_shares& shares() const { return shares_; }

 private:
  const flow_cells& cells_;
  central_shares shares_;
};

}  // namespace osteon::physics
