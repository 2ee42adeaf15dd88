#pragma once
/// @file
/// One multigrid V-cycle in single precision, the preconditioner of conduction.
#include <optional>
#include <osteon/solve/aggregation.hpp>
#include <osteon/solve/coarse_direct.hpp>
#include <span>
#include <vector>

namespace osteon::solve {

/// A linear, symmetric, positive definite approximation of K^-1 (of the pseudo-inverse, where parts of the solid exchange
/// heat with nothing).
///
/// Symmetric because every level smooths by the same polynomial in D^-1 K before and after; positive definite because
/// that polynomial contracts: the eigenvalues of D^-1 K lie in (0, 2] for every diagonally dominant K (Gershgorin),
/// so no eigenvalue has to be estimated. The number of smoothing sweeps grows from level to level (a variable V-cycle):
/// coarse levels cost little, and with constants as the coarse space the iterations would grow without it.
class conduction_multigrid {
 public:
  /// @param fine kept by reference @collective on fine.where.comm
  explicit conduction_multigrid(const conduction_cells& fine);

  /// z = M r.
  /// @param r over the cells' numbering, read at owned cells
  /// @param z over the cells' numbering: owned cells are set, ghosts overwritten, walls stay zero
  /// @param spare work space, over the cells' numbering, its walls zero; changed
  /// @collective
  void apply(std::span<const float> r, std::vector<float>& z, std::vector<float>& spare);

  /// Levels, the finest included.
  std::size_t levels() const { return coarse_.size() + 1; }

 private:
  struct work {
    std::vector<float> right_side, solution, other;
  };
  void cycle(std::size_t level);

  const conduction_cells& fine_;
  kernel::conduction_stencil<float> stencil_;
  std::vector<coarse_level> coarse_;  // [0] is level 1
  std::vector<work> work_;
  std::optional<coarse_direct> direct_;
};

}  // namespace osteon::solve
