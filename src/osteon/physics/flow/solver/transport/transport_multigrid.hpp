#pragma once
/// @file
/// A multigrid cycle for a temperature that a flow carries: the preconditioner of transport.
#include <memory>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Rows of an operator (K x)_i = diagonal_i x_i - sum over the row of coupling x_column, couplings >= 0 and the diagonal at
/// least their sum: an M-matrix, not symmetric.
struct transport_rows {
  std::vector<std::int32_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<float> coupling;
  std::vector<float> diagonal;

  std::int32_t rows() const { return static_cast<std::int32_t>(diagonal.size()); }
};

/// An approximation of K^-1 of the hybrid scheme, in single precision. It is not linear: use it in a flexible method.
///
/// Levels are aggregates of up to 2 x 2 x 2 points that are connected inside their block, as those of conduction, but with
/// flows: between two aggregates they add up, and what flows both ways mixes. On each level the scheme is the hybrid one
/// again, of the conductance and the net flow between aggregates, so that coarse levels are no more diffusive than their
/// Peclet numbers ask for. Points are smoothed by a sweep of Gauss-Seidel forth before the correction, and one back after
/// it. The correction by a coarse level is made of two of its cycles, combined so that the residual is least (K-cycle): that
/// makes up for what constants as coarse functions miss, of conduction and of flow.
/// @cite [NotayVassilevski2008]; [Notay2012] for flow
class transport_multigrid {
 public:
  /// @param cells read by the constructor only @collective on the communicator of the grid
  explicit transport_multigrid(const transport_cells& cells);
  ~transport_multigrid();

  /// Send what some cycles need and others do not, once each part, on virtual ranks. @collective
  void rehearse();

  /// z = M r. @param r owned values @param z shape (grid.size): owned values are set, ghosts overwritten @collective
  void apply(const float* r, float* z);

 private:
  struct level;
  struct direct;
  struct gathered;
  void cycle(std::size_t n, const float* right, float* x);
  void correct(std::size_t n);
  comm::sent_part part(std::size_t n, int which) const;
  void smooth(const level& on, bool forth, const float* right, float* x, bool from_zero) const;

  std::vector<std::unique_ptr<level>> levels_;
  std::unique_ptr<gathered> gathered_;
  std::unique_ptr<direct> direct_;
};

}  // namespace osteon::physics
