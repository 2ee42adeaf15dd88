#pragma once
/// @file
/// Conjugate gradients on the cells of a conduction problem; one set-up serves any number of right-hand sides.
#include <functional>
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

/// The heat flow through an outer face for x = 0.
struct face_drive {
  double rise_K = 0;  ///< temperature beyond the face relative to its other cell: of the surroundings, or of a period
  double heat_W = 0;  ///< heat flow independent of x
};

/// The right-hand side of K x = b, never stored as a vector.
struct heat_load {
  std::function<double(std::int32_t cell)> in_cell;      ///< heat generated in an owned cell [W]; empty: none
  std::function<face_drive(const outer_face&)> at_face;  ///< empty: no flow through outer faces
};

/// Solves K x = b for one K.
class heat_solver {
 public:
  /// @param cells kept by reference @collective on cells.where.comm
  explicit heat_solver(const heat_cells& cells);

  /// Solve from zero. Sets iterations, converged, residuals, energy error and work of `certificate`.
  /// @returns x over the cells' numbering, ghosts current; valid until the next call
  /// @param points of the owned cells; if absent, how.checkpoints is not used
  /// @throws solve_error if a value is not finite @collective
  std::vector<double>& solve(const heat_load& load, const options& how, solve_certificate& certificate, log_sink& log,
                             const voxel::run_set* points = nullptr);

  /// Residual of the last solution [W]. @param cell an owned one
  double residual(std::int32_t cell) const { return scale_ * static_cast<double>(r_[static_cast<std::size_t>(cell)]); }

  /// Sum of term(cell) over the owned cells of all ranks, the same for any number of threads. @collective
  template <class Term>
  double total(Term term) const {
    double sum = reduce_blocks(cells_.owned, [&](std::int64_t begin, std::int64_t end) {
      double part = 0;
      for (std::int64_t i = begin; i < end; ++i) part += term(static_cast<std::int32_t>(i));
      return part;
    });
    const auto counted = comm::counted_call::all_reduce(cells_.where.comm, sizeof sum);
    comm::all_reduce(cells_.where.comm, &sum, 1, MPI_SUM);
    return sum;
  }
  /// Release the solver. @returns the last solution
  std::vector<double> take() { return std::move(x_); }

  // The operations of numerics::cg; z is reused for K p.
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
  std::size_t size() const { return static_cast<std::size_t>(cells_.size); }

  const heat_cells& cells_;
  kernel::conduction_stencil<double> stencil_;
  heat_multigrid multigrid_;
  std::vector<double> x_;  // this and those below are allocated by the first solve(): the set-up needs as much memory
  // Single precision is sufficient: x and r are updated with the same rounded p, r is in units of the load and loses only
  // its own rounding error per step, and it is periodically recomputed from x.
  std::vector<float> r_, p_, z_;
  double scale_ = 1;
  cg recursion_;
};

}  // namespace osteon::physics
