#pragma once
/// @file
/// An incomplete factorisation of transport with central convection, which its multigrid cycle does not see.
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <vector>

namespace osteon::physics {

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

}  // namespace osteon::physics
