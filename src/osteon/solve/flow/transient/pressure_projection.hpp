#pragma once
/// @file
/// The projection of a velocity field onto those that conserve mass.
#include <functional>
#include <osteon/solve/flow/flow_preconditioner.hpp>
#include <osteon/solve/flow/flow_sums.hpp>
#include <osteon/solve/flow/open_flow_cells.hpp>

namespace osteon::solve {

/// Takes M^-1 G d off a velocity u, so that G^T u = 0: G^T M^-1 G d = G^T u, by conjugate gradients with a multigrid cycle.
///
/// The residual of that system is the divergence of the velocity itself, which is computed in double: what single precision
/// inside leaves is seen and taken off in another round.
class pressure_projection {
 public:
  /// @param open kept by reference @collective on its communicator
  explicit pressure_projection(const open_flow_cells& open);

  /// Where to stop: all at once.
  struct bounds {
    double divergence = 0;  ///< largest |G^T u| of a cell
    double velocity = 0;    ///< root of the sum of squares of what is still to be taken off, as the cycle sees it
    int most = 500;         ///< iterations
  };
  struct outcome {
    int iterations = 0;
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
  double product();
  void count_iteration();
  template <std::size_t N>
  std::array<double, N> all_ranks(const std::array<double, N>& sums) const {
    return sum_of_ranks(cells_.grid.where.comm, sums);
  }

  const open_flow_cells& open_;
  const flow_cells& cells_;
  pressure_cycle laplace_;
  std::vector<std::int32_t> part_size_;  // cells of each free part, all ranks
  std::vector<double> exact_;
  std::vector<float> none_, r_, z_, p_, q_, c_;
  kernel_work work_;
};

}  // namespace osteon::solve
