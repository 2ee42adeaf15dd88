#pragma once
/// @file
/// Conjugate gradients for conduction problems. One set-up is sufficient for several right-hand sides.
#include <functional>
#include <osteon/base/at.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/numerics/multigrid/heat_multigrid.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Causes of heat flow at an outer face.
struct face_drive {
  /// temperature beyond the face for x = 0; this is the temperature of the surroundings or of the neighbouring period
  double rise_K = 0;
  double heat_W = 0;  ///< prescribed heat flow
};

/// The right-hand side of K x = b, as functions of cells and faces.
struct heat_load {
  std::function<double(std::int32_t cell)> in_cell;      ///< heat that is generated in an owned cell [W]; empty: no sources
  std::function<face_drive(const outer_face&)> at_face;  ///< empty: no heat flows through outer faces
};

/// Solves K x = b for one K and several b.
class heat_solver {
 public:
  /// @param cells must outlive this object @collective on cells.where.comm
  explicit heat_solver(const heat_cells& cells);

  /// Solve with the initial guess zero. The function sets the iterations, convergence, residuals, energy error and work of
  /// `certificate`.
  /// @returns x in the numbering of the cells with current ghosts; valid until the next call
  /// @param points positions of the owned cells, for checkpoints; null: no checkpoints
  /// @throws solve_error if a value is not finite @collective
  std::vector<double>& solve(const heat_load& load, const options& options, solve_certificate& certificate, log_sink& log,
                             const voxel::run_set* points = nullptr);

  /// Residual of the last solution [W]. @param cell owned cell
  double residual(std::int32_t cell) const { return scale_ * static_cast<double>(r_[at(cell)]); }

  /// Sum of term(cell) over the owned cells of all ranks. The sum is independent of the number of threads. @collective
  template <class Term>
  double total(Term term) const {
    double sum = reduce_blocks(cells_.owned, [&](std::int64_t begin, std::int64_t end) {
      double part = 0;
      for (std::int64_t i = begin; i < end; ++i) part += term(static_cast<std::int32_t>(i));
      return part;
    });
    const auto counted = comm::counted_call::all_reduce(cells_.where.comm, sizeof sum);
    return comm::sum_over_ranks(cells_.where.comm, sum);
  }
  /// Move the last solution to the caller. After this call, no further solution is possible.
  std::vector<double> take() { return std::move(x_); }

  // Operations of numerics::cg. The vector z also contains K p.
  double precondition();
  double search(double beta);
  double step(double alpha);

 private:
  template <class X>
  void multiply(std::vector<X>& x, std::vector<float>& y);
  double heat(const outer_face& f, const face_drive& d) const { return d.heat_W + cells_.conductance(f) * d.rise_K; }
  kernel_work work_of_iteration() const;
  void set_scale(const heat_load& load);
  double recompute_residual(const heat_load& load);
  double dissipation(const heat_load& load) const;
  double energy_identity_error(const heat_load& load);
  solver_state state(const voxel::run_set& points, bool is_running);
  std::size_t size() const { return at(cells_.size); }

  const heat_cells& cells_;
  kernel::conduction_stencil<double> stencil_;
  heat_multigrid multigrid_;
  std::vector<double> x_;  // the first solve() allocates the vectors, because the set-up has then freed its temporary memory
  // Single precision is sufficient, because the updates of x and r use the same rounded p, and because r is scaled by the
  // load. In addition, the solver recomputes r from x periodically.
  std::vector<float> r_, p_, z_;
  double scale_ = 1;
  cg recursion_;
};

}  // namespace osteon::physics
