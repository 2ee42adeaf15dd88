#pragma once
/// @file
/// The implicit friction of a step of transient flow.
#include <functional>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Solves (kappa M + A) e = r for all three components of the velocity. M is the control volume of a face in units of
/// voxels. M is 1, and 1/2 at open faces.
///
/// Conjugate gradients compute corrections in single precision. The residual is in double precision. For large kappa, the
/// preconditioner is the diagonal. Otherwise the preconditioner is a multigrid cycle for each component.
class momentum_solver {
 public:
  /// @param cells borrowed @collective on the communicator of the cells
  explicit momentum_solver(const flow_cells& cells);

  /// @param kappa storage in units of friction, >= 0 @collective
  void set_storage(double kappa);
  double storage() const { return kappa_; }
  /// Value of kappa for which the multigrid cycles were set up. The cycles are also used for nearby values of kappa. -1:
  /// there are no cycles.
  double storage_of_cycles() const { return cycles_for_; }

  /// Count the messages of solve() once on virtual ranks. @param e vector as in solve() @collective
  void count_messages(double* e);

  struct outcome {
    int iterations = 0;
    bool converged = true;
  };
  /// Improve e until the norm of the residual is at most `target`. The norm is the root of the sum of squares over all
  /// faces.
  /// @param right right-hand side with shape (3, stride), zero without an unknown velocity @param e initial guess with shape
  /// (4, stride); the pressure in e is zero and does not change @param is_guess true if e is not zero @throws solve_error if
  /// a value is not finite @collective
  outcome solve(const double* right, double* e, bool is_guess, double target, int most, const std::function<void()>& poll);

  /// Work of the kernels in all solutions on this rank.
  const kernel_work& work() const { return work_; }

 private:
  struct shifted {
    std::vector<kernel::stokes_open_face> open_faces;
    kernel::stokes_stencil<float> single;
    kernel::stokes_stencil<double> exact;
  };
  // Operations of numerics::cg on the correction c and on the residual of c.
  friend class numerics::cg;
  double precondition();
  double search(double beta);
  double step(double alpha);
  void find_residual(const double* right, double* e, bool is_guess);
  double size_of_residual() const;
  void count_round();
  void count_iteration();
  template <std::size_t N>
  std::array<double, N> all_ranks(const std::array<double, N>& sums) const {
    return sum_of_ranks(cells_.grid.where.comm, sums);
  }

  const flow_cells& cells_;
  double kappa_ = -1, cycles_for_ = -1;
  shifted operator_;
  std::array<std::array<float, 64>, 3> inverse_{};  // inverse of the diagonal for each component and number
  std::array<std::unique_ptr<velocity_cycle>, 3> cycles_;
  std::vector<float> r_, z_, p_, v_, c_;
  kernel_work work_;
};

}  // namespace osteon::physics
