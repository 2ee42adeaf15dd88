#pragma once
/// @file
/// A multigrid cycle for an advected temperature: the preconditioner of transport.
#include <memory>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Rows of an operator (K x)_i = diagonal_i x_i - sum over the row of coupling x_column, with couplings >= 0 and diagonals
/// not less than the sum of the couplings. The matrix is an M-matrix and not symmetric.
struct transport_rows {
  std::vector<std::int32_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<float> coupling;
  std::vector<float> diagonal;

  std::int32_t rows() const { return static_cast<std::int32_t>(diagonal.size()); }
};

/// An approximation of K^-1 of the hybrid scheme, in single precision. The cycle is nonlinear and requires a flexible
/// Krylov method.
///
/// Levels consist of aggregates of up to 2 x 2 x 2 points that are connected inside a block. Unlike conduction, transport
/// also has flows between aggregates. Flows between two aggregates are summed. Each level uses the hybrid scheme for the
/// conductance and the net flow between aggregates. Coarse levels are therefore no more diffusive than their Peclet
/// numbers require. A forward Gauss-Seidel sweep precedes the coarse correction, and a backward sweep follows the
/// correction. The correction by a coarse level consists of two cycles, combined to minimise the residual (K-cycle). The
/// minimisation compensates for the inaccuracy of piecewise constant coarse functions.
/// @cite [NotayVassilevski2008]; [Notay2012] for flow
class transport_multigrid {
 public:
  /// @param cells used only by the constructor @collective on the communicator of the grid
  explicit transport_multigrid(const transport_cells& cells);
  ~transport_multigrid();

  /// Count the messages of each data-dependent part once, on virtual ranks. @collective
  void count_messages();

  /// z = M r. @param r owned values @param z shape (grid.size); owned values are set, ghosts are overwritten @collective
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
