#pragma once
/// @file
/// Equilibrium of elastic and inelastic voxels for prescribed displacements. The method is Newton's method with conjugate
/// gradients. If the forces have no energy, the method is a fixed-point iteration of the secant stiffness with Anderson
/// acceleration.
/// @cite [EisenstatWalker1996], tolerance of the inner solutions
#include <functional>
#include <optional>
#include <osteon/numerics/krylov/anderson_acceleration.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/failure/solver/tangent_cg.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Norms of the forces.
struct balance {
  double free_N = 0;       ///< norm of the forces at free nodes; in equilibrium, this norm is zero
  double reactions_N = 0;  ///< norm of the forces at nodes with prescribed displacements
  double residual() const { return reactions_N > 0 ? free_N / reactions_N : free_N > 0 ? 1 : 0; }
};

/// Outcome of the iteration.
struct newton_outcome {
  bool converged = false;
  int corrections = 0, iterations = 0;
  balance forces;
  std::vector<double> residuals;  ///< residual after each correction
};

/// Operator, preconditioner, voxels and vectors of a problem. Vectors are stored by components, like in fine_stiffness.
class equilibrium {
 public:
  /// The object borrows the problem. @collective on problem.where.comm
  equilibrium(const elasticity_problem& problem, const failure_plan& plan, const std::function<void()>& pass);

  /// Compute the elastic solution u for the prescribed values in u. @collective
  newton_outcome solve_elastic(std::span<double> u, double tolerance, int most_iterations);
  /// Correct u until the residual is below the tolerance. @param most_corrections maximum number of corrections
  /// @collective
  newton_outcome solve(std::span<double> u, double tolerance, int most_corrections, int most_iterations);

  /// Forces at u, including forces at prescribed displacements. The result is valid until the next call.
  /// @param yields false: all voxels are elastic @collective
  std::span<double> forces(const double* u, bool yields);
  /// Compute the norms of the forces, store the reactions, and set the forces at prescribed displacements to zero.
  /// @collective
  balance take_balance(std::span<double> forces);
  /// Reactions of the last call of take_balance, in the order of k().fixed().
  std::span<const double> reactions() const { return reaction_; }
  /// Sum of the products of reactions and `values`. Reactions and `values` have the order of k().fixed(). @collective
  double work_of_reactions(std::span<const double> values) const;

  const fine_stiffness& k() const { return *k_; }
  yielding_voxels& voxels() { return *voxels_; }
  elasticity_multigrid& multigrid() { return *multigrid_; }
  const tangent_cg& cg() const { return *cg_; }
  bool is_owned(std::int64_t place) const;
  /// Free the memory of the solver. After this call, no further solution is possible.
  void drop_preconditioner();

 private:
  newton_outcome iterate(std::span<double> u, double tolerance, int most_corrections, int most_iterations, bool yields);
  balance move_along(std::span<double> u, double length, bool yields, double slope);
  balance move_accelerated(std::span<double> u, double length);

  const elasticity_problem& problem_;
  std::optional<fine_stiffness> k_;
  std::optional<elasticity_multigrid> multigrid_;
  std::unique_ptr<yielding_voxels> voxels_;
  std::optional<tangent_cg> cg_;
  std::optional<anderson_acceleration<float>> acceleration_;
  std::vector<float> residual_, correction_;
  std::vector<double> reaction_;
};

/// Set displacements, reactions, copies, and the balances of the certificate. @param yields false: all voxels are elastic
/// @collective
void write_state(equilibrium& body, const elasticity_problem& problem, std::vector<double>& u, bool yields,
                 elasticity_solution& to);

}  // namespace osteon::physics
