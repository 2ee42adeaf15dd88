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

/// A linear, symmetric, positive definite approximation of K^-1, or of the pseudo-inverse if parts of the solid are
/// thermally isolated.
///
/// Gauss-Seidel sweeps smooth the cells in place, forward before the coarse correction and backward after the coarse
/// correction. A sweep processes first the planes of even z, then the planes of odd z; threads process the planes of one
/// colour in parallel. On coarse levels the smoother is a polynomial in D^-1 K. The eigenvalues of D^-1 K are in (0, 2] for
/// every diagonally dominant K (Gershgorin). The polynomial is therefore a contraction without an estimate of eigenvalues.
/// The number of sweeps grows from level to level (variable V-cycle). With a constant number of sweeps and piecewise
/// constant coarse spaces, the number of iterations would grow with the problem size. Additional sweeps on coarse levels are
/// cheap.
class heat_multigrid {
 public:
  /// An operator on the cells that replaces the conduction operator; coarse levels are built from a similar conduction
  /// problem.
  struct cell_kernels {
    /// A sweep over a part, with the arguments of kernel::relax.
    std::function<void(const kernel::conduction_part&, kernel::sweep, const float* r, float* z)> relax;
    /// residual[i - first] = (r - K z)_i for the cells of a part. Called by several threads.
    std::function<void(const kernel::conduction_part&, const float* r, const float* z, std::int32_t first, float* residual)>
        residual;
    float correction = 1;  ///< factor applied to the correction of the cells by level 1
    /// Per cell: 0 if the cell has no unknown; level 1 does not change such a cell. Null if every cell has an unknown.
    const std::uint8_t* unknown = nullptr;
    /// Sweeps on coarse level 1, 2, ... before and after the correction.
    int (*smoothing_sweeps)(std::size_t level) = heat_cycle::smoothing_sweeps;
  };

  /// @param fine stored by reference @collective on fine.where.comm
  explicit heat_multigrid(const heat_cells& fine);
  /// @param fine numbering, planes and halo; stored by reference @param described conduction problem on this numbering, from
  /// which coarse levels are built @collective on fine.where.comm
  heat_multigrid(const heat_cells& fine, const heat_cells& described, cell_kernels kernels);

  /// z = M r.
  /// @param r in the numbering of the cells; only owned cells are read
  /// @param z in the numbering of the cells; sets owned cells, overwrites ghosts; walls remain zero
  /// @collective
  void apply(const float* r, float* z);

  /// Perform the part of apply() between its forward and backward sweeps: add the coarse-level correction for r - K z to z.
  /// @param z ghosts of z must be current on entry, and are not current on return @collective
  void correct(const float* r, float* z);

  /// Set the factor of the level 1 correction, for cell operators that change by a factor.
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
  // coarse_[0] is level 1. Levels with numbers of at least gathered_at_ + 1 are on rank 0 only and contain the unknowns of
  // all ranks. Level gathered_at_ + 1 is a copy of the previous level.
  std::vector<coarse_level> coarse_;
  std::vector<work> work_;
  std::size_t gathered_at_ = 0;
  std::optional<gathered_level> gathered_;
  std::optional<coarse_direct> direct_;
};

}  // namespace osteon::numerics
