#pragma once
/// @file
/// Contribution of inelastic voxels to the forces of a rank. All other voxels are represented by the elastic stiffness
/// alone.
#include <mpi.h>
#include <cstdint>
#include <memory>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/failure/solver/failure_plan.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Sums over the voxels of all ranks after a step, at its final state.
struct step_sums {
  double stored_mJ = 0;        ///< elastic energy
  double dissipated_mJ = 0;    ///< dissipated by plastic flow at the initial yield stress, or by damage
  double hardening_mJ = 0;     ///< plastic work above that
  double whole_strain_mJ = 0;  ///< elastic energy of the total strain
  std::int64_t yielded = 0, in_tension = 0, in_compression = 0;  ///< voxels with a yielded point
  std::int64_t broken = 0;
  double violation = 0;             ///< largest yield function: stress beyond the yield stress, divided by it
  double smallest_dissipation = 0;  ///< dissipation of a Gauss point, or of a voxel, in this step [MPa]

  /// Add the sums of other planes of voxels.
  void add(const step_sums& other);
  /// Add the sums of all ranks. @collective
  void add_ranks(MPI_Comm comm);
};

/// Voxels with a law, their states, and the resulting forces. Vectors are stored by components, as in fine_stiffness.
class yielding_voxels {
 public:
  virtual ~yielding_voxels() = default;

  /// The largest ratio of stress to yield stress for given displacements, from a state without previous yield.
  /// @param sign of the displacements @collective on the problem's communicator
  virtual double largest_of_yield(const double* u, double sign) const = 0;

  /// Subtract from y the difference between the elastic forces and the forces at u. Voxels whose state changes at u are
  /// recorded.
  /// @collective local
  virtual void add_forces(const double* u, double* y) = 0;

  /// Subtract from the elastic product q = K p the difference to the tangent, or the secant, at the displacements of the
  /// last add_forces. @param u the same displacements @collective local
  virtual void add_tangent(const double* u, const double* p, double* q) const = 0;

  /// Whether the forces are the gradient of a convex energy, and add_tangent is its second derivative.
  virtual bool have_energy() const { return true; }

  /// Apply abrupt changes at a state of equilibrium, after which it is no longer in equilibrium. @return number of changed
  /// voxels, all ranks
  /// @collective on the problem's communicator
  virtual std::int64_t break_at(const double*) { return 0; }
  /// Discard all changes since the last commit. @collective local
  virtual void retreat() {}

  /// Commit the changes at u to the state. @collective on the problem's communicator
  virtual step_sums commit(const double* u) = 0;

  /// Energy released by fractures in excess of that of the broken voxels, all ranks: for checkpoints.
  virtual double released_mJ() const { return 0; }
  virtual void set_released_mJ(double) {}

  /// Memory of the states on this rank.
  virtual std::int64_t bytes() const = 0;

  /// Per active cell: equivalent plastic strain (von Mises), mean of the Gauss points; damage; energy dissipated per volume
  /// [MPa]. Empty: not defined by the law.
  virtual std::vector<float> plastic_strain() const { return {}; }
  virtual std::vector<float> damage() const { return {}; }
  virtual std::vector<float> dissipation() const = 0;

  /// The states as vectors over the nodes, at each cell's low corner: for checkpoints. The last number, or the mean of the
  /// last eight, is the dissipation.
  virtual int numbers_of_state() const = 0;
  /// Write the numbers [first, first + count) of each cell, `count` per node; entries without a cell are unchanged.
  virtual void put_states(int first, int count, std::span<float> at_corners) const = 0;
  virtual void restore(std::span<const float> at_corners) = 0;
};

/// The voxels for the law of a plan. Borrows the problem. @param stride of the vectors
std::unique_ptr<yielding_voxels> make_yielding_voxels(const elasticity_problem& problem, const failure_plan& plan,
                                                      std::int64_t stride);

}  // namespace osteon::physics
