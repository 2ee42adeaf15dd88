#pragma once
/// @file
/// What the voxels that are no longer elastic do to the forces of a rank. All others are seen by the elastic stiffness
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

/// Sums over the voxels of all ranks after a step, at the state of its end.
struct step_sums {
  double stored_mJ = 0;        ///< elastic energy
  double dissipated_mJ = 0;    ///< by plastic flow at the initial yield stress, or by damage
  double hardening_mJ = 0;     ///< plastic work beyond that
  double whole_strain_mJ = 0;  ///< elastic energy that the whole strain would have
  std::int64_t yielded = 0, in_tension = 0, in_compression = 0;  ///< voxels that have a point that yielded
  std::int64_t broken = 0;
  double violation = 0;             ///< largest yield function: stress beyond the yield stress, over it
  double smallest_dissipation = 0;  ///< of a Gauss point, or of a voxel, in this step [MPa]

  /// Add those of other planes of voxels.
  void add(const step_sums& other);
  /// Add those of all ranks. @collective
  void add_ranks(MPI_Comm comm);
};

/// Voxels with a law, their states, and what these do to the forces. Vectors are by components, as those of fine_stiffness.
class yielding_voxels {
 public:
  virtual ~yielding_voxels() = default;

  /// The largest factor of the yield stress that displacements reach anywhere, from a state that never yielded.
  /// @param sign of the displacements @collective on the problem's communicator
  virtual double largest_of_yield(const double* u, double sign) const = 0;

  /// Take off y what the forces at u are less than the elastic ones. Voxels whose state changes at u are remembered.
  /// @collective local
  virtual void add_forces(const double* u, double* y) = 0;

  /// Take off the elastic product q = K p what the tangent, or the secant, is less, at the displacements of the last
  /// add_forces. @param u the same displacements @collective local
  virtual void add_tangent(const double* u, const double* p, double* q) const = 0;

  /// Whether the forces are the slope of a convex energy, and add_tangent is its second derivative.
  virtual bool have_energy() const { return true; }

  /// Change abruptly at a state of equilibrium, which it then is no more. @return voxels that do, all ranks
  /// @collective on the problem's communicator
  virtual std::int64_t break_at(const double*) { return 0; }
  /// Forget all that happened since the last commit. @collective local
  virtual void retreat() {}

  /// Make what happens at u part of the state. @collective on the problem's communicator
  virtual step_sums commit(const double* u) = 0;

  /// Energy that fractures have released beyond what broken voxels had, all ranks: for checkpoints.
  virtual double released_mJ() const { return 0; }
  virtual void set_released_mJ(double) {}

  /// Memory of the states of this rank.
  virtual std::int64_t bytes() const = 0;

  /// Of each active cell: equivalent plastic strain (von Mises), mean of the Gauss points; damage; energy dissipated per
  /// volume [MPa]. Empty: the law knows none.
  virtual std::vector<float> plastic_strain() const { return {}; }
  virtual std::vector<float> damage() const { return {}; }
  virtual std::vector<float> dissipation() const = 0;

  /// The states as vectors over the nodes, at each cell's low corner: for checkpoints. The last of the numbers, or the mean
  /// of the last eight, is the dissipation.
  virtual int numbers_of_state() const = 0;
  /// Put the numbers [first, first + count) of each cell there, `count` a node; what is of no cell is left as it is.
  virtual void put_states(int first, int count, std::span<float> at_corners) const = 0;
  virtual void restore(std::span<const float> at_corners) = 0;
};

/// Of the law that a plan has. Borrows the problem. @param stride of the vectors
std::unique_ptr<yielding_voxels> make_yielding_voxels(const elasticity_problem& problem, const failure_plan& plan,
                                                      std::int64_t stride);

}  // namespace osteon::physics
