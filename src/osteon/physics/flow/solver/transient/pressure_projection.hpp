#pragma once
/// @file
/// The projection of a velocity field onto those that conserve mass.
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

/// How the system of the pressure is solved.
enum class pressure_method {
  automatic,  ///< by transforms where find_fluid_box() finds a box, else by multigrid
  multigrid   ///< conjugate gradients with a multigrid cycle
};

/// Takes M^-1 G d off a velocity u, so that G^T u = 0: G^T M^-1 G d = G^T u, by transforms where the fluid is a whole box,
/// else by conjugate gradients with a multigrid cycle.
///
/// The residual of that system is the divergence of the velocity itself, which is computed in double: what single precision
/// inside leaves is seen and taken off in another round.
class pressure_projection {
 public:
  /// @param open kept by reference @collective on its communicator
  explicit pressure_projection(const open_flow_cells& open, pressure_method method = pressure_method::automatic);

  /// By transforms: a projection is exact, and a guess does not shorten it.
  bool is_direct() const { return box_ != nullptr; }
  /// What is in the way of that, in words.
  const std::string& why_not_direct() const { return why_not_direct_; }

  /// Where to stop: all at once.
  struct bounds {
    double divergence = 0;  ///< largest |G^T u| of a cell
    double velocity = 0;    ///< root of the sum of squares of what is still to be taken off, as the cycle sees it
    int most = 500;         ///< iterations
  };
  struct outcome {
    int iterations = 0;     ///< of conjugate gradients; by transforms: solves
    double divergence = 0;  ///< largest |G^T u| of a cell, computed in double
    bool converged = true;
  };
  /// @param u shape (3, stride), with given velocities; ghosts current before and after
  /// @param d shape (stride): what is taken off is added, ghosts are not set
  /// @throws solve_error if a value is not finite @collective
  outcome project(double* u, double* d, const bounds& to, const std::function<void()>& poll);

  /// Send whatever project() may send, once each part, on virtual ranks. @param u, d as there, values are lost @collective
  void rehearse(double* u, double* d);

  /// u -= M^-1 G d; ghosts of u become current. @param d ghosts are overwritten @collective
  void subtract_gradient(double* u, double* d) const;
  /// G^T u of the owned cells. @param u ghosts current @collective local
  void find_divergence(const double* u, double* divergence) const;
  /// The mean of each part of the fluid whose pressure nothing gives becomes zero. @collective
  template <class T>
  void remove_free_pressure(T* pressure) const;

  /// Of all projections so far, on this rank.
  const kernel_work& work() const { return work_; }

 private:
  outcome project_directly(double* u, double* d, const bounds& to);
  double find_highest_divergence(const double* u);
  // The operations of numerics::cg, on the correction c and its residual; a step returns the largest residual.
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
  std::string why_not_direct_;
  std::unique_ptr<box_poisson> box_;         // or
  std::unique_ptr<pressure_cycle> laplace_;  // one of them
  std::vector<std::int32_t> part_size_;      // cells of each free part, all ranks
  std::vector<double> exact_;
  std::vector<float> none_, r_, z_, p_, q_, c_;
  kernel_work work_;
};

/// The box, if G^T M^-1 G is a sum of one operator for each axis, and ranks own whole planes: no solid voxel, nothing inside
/// the image that is an opening, and each face of the image gives the pressure on all of itself or nowhere.
/// @param why_not becomes what is in the way, where there is none; null: not wanted @collective on the cells' communicator
std::optional<poisson_box> find_fluid_box(const open_flow_cells& open, std::string* why_not = nullptr);

}  // namespace osteon::physics
