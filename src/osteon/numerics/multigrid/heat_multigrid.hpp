#pragma once
/// @file
/// One multigrid V-cycle in single precision, the preconditioner of conduction.
#include <functional>
#include <optional>
#include <osteon/kernel/heat/conduction_relax.hpp>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/numerics/multigrid/aggregation.hpp>
#include <osteon/numerics/multigrid/coarsest_heat.hpp>
#include <osteon/numerics/multigrid/heat_cycle.hpp>
#include <vector>

namespace osteon::numerics {

/// A linear, symmetric, positive definite approximation of K^-1 (of the pseudo-inverse, if parts of the solid are thermally
/// isolated).
///
/// The cells are smoothed by Gauss-Seidel sweeps in place, forward before the correction and backward after it: first the
/// planes with an even z, then the odd ones. Planes of one colour are independent, so threads share them. Coarse levels are
/// smoothed by the same polynomial in D^-1 K before and after. The smoother is a contraction: the eigenvalues of D^-1 K are
/// in (0, 2] for every diagonally dominant K (Gershgorin), so no eigenvalue has to be estimated. The number of smoothing
/// sweeps grows from level to level (a variable V-cycle): coarse levels cost little, and with constants as the coarse space
/// the iterations would grow without it.
class heat_multigrid {
 public:
  /// An operator on the cells that replaces the conduction operator; coarse levels are built from a similar conduction
  /// problem.
  struct cell_kernels {
    /// A sweep over a part, as kernel::relax.
    std::function<void(const kernel::conduction_part&, kernel::sweep, const float* r, float* z)> relax;
    /// residual[i - first] = (r - K z)_i for the cells of a part. Called by several threads.
    std::function<void(const kernel::conduction_part&, const float* r, const float* z, std::int32_t first, float* residual)>
        residual;
    float correction = 1;  ///< factor applied to the correction of the cells by level 1
    /// Per cell: 0 without an unknown, left unchanged by level 1; null: every cell has one.
    const std::uint8_t* unknown = nullptr;
    /// Sweeps on coarse level 1, 2, ... before and after the correction.
    int (*smoothing_sweeps)(std::size_t level) = heat_cycle::smoothing_sweeps;
  };

  /// @param fine kept by reference @collective on fine.where.comm
  explicit heat_multigrid(const heat_cells& fine);
  /// @param fine kept by reference: the numbering, its planes and its halo @param described the conduction problem on it
  /// from which coarse levels are built @collective on fine.where.comm
  heat_multigrid(const heat_cells& fine, const heat_cells& described, cell_kernels kernels);

  /// z = M r.
  /// @param r over the cells' numbering, read at owned cells
  /// @param z over the cells' numbering: owned cells are set, ghosts overwritten, walls stay zero
  /// @collective
  void apply(const float* r, float* z);

  /// The part of apply() between its forward and backward sweeps: adds to z the coarse-level correction for r - K z.
  /// @param z ghosts current on entry, not on return @collective
  void correct(const float* r, float* z);

  /// Change the factor of the correction of the cells by level 1: for cells whose operator changes by a factor.
  void set_correction(float factor) { kernels_.correction = factor; }

  /// Work of one cycle on this rank, without the levels that exist on rank 0 only.
  kernel_work work_of_cycle() const;

  /// Number of unknowns of the factorised level, on rank 0; 0 elsewhere.
  std::int32_t coarsest_unknowns() const { return coarse_.back().matrix.rows(); }

 private:
  struct work {
    std::vector<float> right_side, solution, other;
  };
  void smooth(kernel::sweep way, const float* r, float* z) const;
  void restrict_residual(const float* r, const float* z);
  void cycle(std::size_t level);

  const heat_cells& fine_;
  cell_kernels kernels_;
  // [0] is level 1. The levels from gathered_at_ + 1 on are those of all ranks, on rank 0 only: the first is a copy of the
  // previous one.
  std::vector<coarse_level> coarse_;
  std::vector<work> work_;
  std::size_t gathered_at_ = 0;
  std::optional<gathered_level> gathered_;
  std::optional<coarse_direct> direct_;
};

}  // namespace osteon::numerics
