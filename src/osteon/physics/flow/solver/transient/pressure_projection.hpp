#pragma once
/// @file
/// Projection of a velocity field onto fields that conserve mass.
#include <functional>
#include <memory>
#include <optional>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/krylov/cg.hpp>
#include <osteon/numerics/transforms/box_poisson.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>

namespace osteon::physics {

/// Solver of the pressure system.
enum class pressure_method {
  automatic,  ///< transforms if find_fluid_box() finds a box, otherwise multigrid
  multigrid   ///< conjugate gradients with a multigrid cycle
};

/// Subtracts M^-1 G d from a velocity u. The resulting velocity satisfies G^T u = 0. If the fluid is a complete box,
/// transforms solve the system G^T M^-1 G d = G^T u. Otherwise, conjugate gradients with a multigrid cycle solve this
/// system.
///
/// The residual of the system is the divergence of the velocity in double precision. Repeated corrections remove the errors
/// of the inner solver in single precision.
class pressure_projection {
 public:
  /// @param open borrowed @collective on the communicator of `open`
  explicit pressure_projection(const open_flow_cells& open, pressure_method method = pressure_method::automatic);

  /// Return true if transforms solve the system. A projection by transforms is exact. An initial guess therefore does not
  /// reduce its cost.
  bool is_direct() const { return box_ != nullptr; }
  /// Reason for multigrid instead of transforms, as text.
  const std::string& reason_for_multigrid() const { return reason_for_multigrid_; }

  /// Stopping criteria. The iteration stops if all criteria are satisfied.
  struct bounds {
    double divergence = 0;  ///< largest |G^T u| of all cells
    double velocity = 0;    ///< root of the sum of squares of the remaining correction; the cycle estimates this value
    int most = 500;         ///< maximum number of iterations
  };
  struct outcome {
    int iterations = 0;     ///< number of iterations of conjugate gradients, or number of solves by transforms
    double divergence = 0;  ///< largest |G^T u| of all cells, computed in double precision
    bool converged = true;
  };
  /// @param u velocities with shape (3, stride), including given velocities; the ghosts are current before and after the
  /// call
  /// @param d sum of corrections with shape (stride); the function does not set the ghosts
  /// @throws solve_error if a value is not finite @collective
  outcome project(double* u, double* d, const bounds& to, const std::function<void()>& poll);

  /// Count the messages of project() once on virtual ranks. @param u, d vectors as in project(); the function overwrites
  /// their values @collective
  void count_messages(double* u, double* d);

  /// u -= M^-1 G d. The ghosts of u become current. @param d vector; the function overwrites its ghosts @collective
  void subtract_gradient(double* u, double* d) const;
  /// G^T u in the owned cells. @param u vector with current ghosts @collective local
  void find_divergence(const double* u, double* divergence) const;
  /// In each part of the fluid with an undetermined pressure, set the mean to zero. @collective
  template <class T>
  void remove_free_pressure(T* pressure) const;

  /// Work of the kernels in all projections on this rank.
  const kernel_work& work() const { return work_; }

 private:
  outcome project_directly(double* u, double* d, const bounds& to);
  double find_highest_divergence(const double* u);
  // Operations of numerics::cg on the correction c and on the residual of c. A step returns the largest residual.
  friend class numerics::cg;
  double precondition();
  double search(double beta);
  double step(double alpha);
  double product();
  void count_iteration();
  template <std::size_t N>
  std::array<double, N> all_ranks(const std::array<double, N>& sums) const {
    return sum_of_ranks(cells_.grid.where.comm, sums);
  }

  const open_flow_cells& open_;
  const flow_cells& cells_;
  std::string reason_for_multigrid_;
  std::unique_ptr<box_poisson> box_;         // exactly one of box_ and
  std::unique_ptr<pressure_cycle> laplace_;  // laplace_ exists
  std::vector<std::int32_t> part_size_;      // number of cells of each free part on all ranks
  std::vector<double> exact_;
  std::vector<float> none_, r_, z_, p_, q_, c_;
  kernel_work work_;
};

/// Return a box if two conditions are satisfied: G^T M^-1 G is a sum of one operator for each axis, and each rank owns
/// complete planes. A box has no solid voxel and no opening inside the image. On each face of the image, the pressure is
/// prescribed on the whole face, or is not prescribed on the face.
/// @param reason_out receives the reason if there is no box; null: not requested @collective on the communicator of the
/// cells
std::optional<poisson_box> find_fluid_box(const open_flow_cells& open, std::string* reason_out = nullptr);

}  // namespace osteon::physics
