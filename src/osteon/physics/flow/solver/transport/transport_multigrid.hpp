#pragma once
/// @file
/// A multigrid cycle for a transported temperature. The cycle is the preconditioner of transport.
#include <memory>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Rows of an operator (K x)_i = diagonal_i x_i - sum over the row of coupling x_column. Couplings are >= 0, and a diagonal
/// is at least the sum of the couplings in its row. The matrix is an M-matrix, and is not symmetric.
struct transport_rows {
  std::vector<std::int32_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<float> coupling;
  std::vector<float> diagonal;

  std::int32_t rows() const { return static_cast<std::int32_t>(diagonal.size()); }
};

/// An approximation of K^-1 in single precision. K is the operator of the hybrid scheme. The cycle is nonlinear. A flexible
/// Krylov method is therefore required.
///
/// Levels consist of aggregates of up to 2 x 2 x 2 points. The points of an aggregate are connected inside a block. In
/// contrast to conduction, transport also has flows between aggregates. Flows between two aggregates are summed. Each level
/// uses the hybrid scheme for the conductance and for the net flow between aggregates. Coarse levels are therefore only as
/// diffusive as their Peclet numbers require. A forward Gauss-Seidel sweep precedes the coarse correction. A backward sweep
/// follows the coarse correction. The correction by a coarse level consists of two cycles, whose combination minimises the
/// residual (K-cycle). The minimisation compensates for the inaccuracy of piecewise constant coarse functions.
/// @cite [NotayVassilevski2008]; [Notay2012] for flow
class transport_multigrid {
 public:
  /// @param cells only the constructor uses the cells @collective on the communicator of the grid
  explicit transport_multigrid(const transport_cells& cells);
  ~transport_multigrid();

  /// Count the messages of each data-dependent part once on virtual ranks. @collective
  void count_messages();

  /// z = M r. @param r values in owned cells @param z vector with shape (grid.size); the function sets the owned values and
  /// overwrites the ghosts @collective
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
