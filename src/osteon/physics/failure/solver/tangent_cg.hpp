#pragma once
/// @file
/// Conjugate gradients for the tangent stiffness of yielding voxels. The preconditioner is the multigrid cycle of the
/// elastic stiffness.
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/numerics/multigrid/elasticity_multigrid.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <osteon/physics/failure/solver/yielding_voxels.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// Solves K_t d = r. The elastic cycle is spectrally equivalent to the inverse of a positive K_t. A yielding voxel therefore
/// requires no new set-up of the cycle.
class tangent_cg {
 public:
  /// The object borrows all arguments.
  tangent_cg(MPI_Comm comm, const fine_stiffness& k, const yielding_voxels& voxels, elasticity_multigrid& multigrid);

  struct result {
    int iterations = 0;
    double energy = 0;        ///< d.r = d.K_t d
    bool is_positive = true;  ///< false: the tangent or the cycle was not positive along a direction
    bool is_finite = true;
  };
  /// @param u displacements of the last call of yielding_voxels::add_forces
  /// @param residual on entry: r, which is zero at fixed displacements; on return: the remaining residual @param d receives
  /// the solution
  /// @collective
  result solve(const double* u, std::span<float> residual, double reduction, int most_iterations, std::span<float> d);

  // Operations of conjugate gradients (cg).
  double precondition();
  double search(double beta);
  double step(double alpha);

  template <class A, class B>
  double dot(const A* a, const B* b) const;

 private:
  MPI_Comm comm_;
  const fine_stiffness& k_;
  const yielding_voxels& voxels_;
  elasticity_multigrid& multigrid_;
  std::vector<float> direction_;
  std::span<float> residual_, solution_;
  const double* u_ = nullptr;
  const float* preconditioned_ = nullptr;
  double norm_ = 0;
};

template <class A, class B>
double tangent_cg::dot(const A* a, const B* b) const {
  double sum = owned_dot(a, b, k_.size(), k_.layout(), k_.shared());
  return comm::sum_over_ranks(comm_, sum);
}

}  // namespace osteon::physics
