#pragma once
/// @file
/// Contribution of inelastic voxels to the forces on a rank. The elastic stiffness represents all other voxels.
#include <mpi.h>
#include <cstdint>
#include <memory>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/failure/solver/failure_plan.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Sums over the voxels at the end of a step.
struct step_sums {
  double stored_mJ = 0;        ///< elastic energy
  double dissipated_mJ = 0;    ///< energy that plastic flow at the initial yield stress, or damage, has dissipated
  double hardening_mJ = 0;     ///< plastic work minus the plastic work at the initial yield stress
  double whole_strain_mJ = 0;  ///< elastic energy of the total strain
  std::int64_t yielded = 0, in_tension = 0, in_compression = 0;  ///< number of voxels with a yielded point
  std::int64_t broken = 0;
  /// largest value of the yield function, which is the relative excess of the stress over the yield stress
  double violation = 0;
  double smallest_dissipation = 0;  ///< minimum over Gauss points or voxels in this step [MPa]

  /// Add the sums of other planes of voxels.
  void add(const step_sums& other);
  /// Add the sums of all ranks. @collective
  void add_ranks(MPI_Comm comm);
};

/// Voxels with a yield or damage law, and their states. Vectors are stored by components, like in fine_stiffness.
class yielding_voxels {
 public:
  virtual ~yielding_voxels() = default;

  /// Largest ratio of stress to yield stress for the displacements u. The solid is assumed to be elastic.
  /// @param sign sign of the displacements @collective on the communicator of the problem
  virtual double largest_of_yield(const double* u, double sign) const = 0;

  /// Subtract from y the difference between the elastic forces and the forces at u. Record the voxels with a changed state.
  /// @collective local
  virtual void add_forces(const double* u, double* y) = 0;

  /// Correct the elastic product q = K p. The result is the product with the tangent (or secant) stiffness.
  /// @param u displacements of the last call of add_forces @collective local
  virtual void add_tangent(const double* u, const double* p, double* q) const = 0;

  /// Return true if the forces are the gradient of a convex energy, and if add_tangent is the second derivative of this
  /// energy.
  virtual bool has_energy() const { return true; }

  /// Break the voxels that exceed their fracture limit in an equilibrium. @return number of broken voxels on all ranks
  /// @collective on the communicator of the problem
  virtual std::int64_t break_voxels(const double*) { return 0; }
  /// Discard all changes of states since the last commit. @collective local
  virtual void discard_changes() {}

  /// Commit the changes at u to the states. @collective on the communicator of the problem
  virtual step_sums commit(const double* u) = 0;

  /// Energy that fractures have released in addition to the energy of the broken voxels, on all ranks. Checkpoints contain
  /// this number.
  virtual double released_mJ() const { return 0; }
  virtual void set_released_mJ(double) {}

  /// Memory of the states on this rank [bytes].
  virtual std::int64_t bytes() const = 0;

  /// Values of each active cell: equivalent plastic strain (von Mises, averaged over the Gauss points), damage, and
  /// dissipated energy per volume [MPa]. Empty: the law does not define the quantity.
  virtual std::vector<float> plastic_strain() const { return {}; }
  virtual std::vector<float> damage() const { return {}; }
  virtual std::vector<float> dissipation() const = 0;

  /// Number of values that a checkpoint contains for each state. In a checkpoint, the state of a cell is stored at the low
  /// corner of the cell. The dissipation is the last value, or the mean of the last eight values.
  virtual int numbers_of_state() const = 0;
  /// Write the values [first, first + count) of each cell to the `count` values of a node. Other nodes are unchanged.
  virtual void put_states(int first, int count, std::span<float> at_corners) const = 0;
  virtual void restore(std::span<const float> at_corners) = 0;
};

/// Create the voxels for the law of a plan. The result borrows the problem. @param stride stride between the components of
/// vectors
std::unique_ptr<yielding_voxels> make_yielding_voxels(const elasticity_problem& problem, const failure_plan& plan,
                                                      std::int64_t stride);

}  // namespace osteon::physics
