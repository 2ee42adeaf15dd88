#pragma once
/// @file
/// Linear elasticity on voxels: one eight-node brick per active voxel; void has no unknowns.
#include <array>
#include <cstdint>
#include <memory>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/numerics/solve_part.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// The loads of one load case.
struct elasticity_load {
  std::vector<double> prescribed_mm;  ///< one value per entry of problem.fixed; empty: the values in problem.fixed
  std::vector<nodal_force> forces;    ///< forces at one node are summed, also those of different ranks
  /// Strain xx, yy, zz, xy, yz, xz (engineering shears) that defines the relative displacement of opposite periodic faces.
  /// It is added as a linear displacement to the whole solution; prescribed values are relative to that.
  std::array<double, 6> mean_strain{};
};

struct elasticity_solution {
  std::vector<double> displacement_mm;  ///< shape (nodes, 3), axes z, y, x; equal on all ranks that share a node
  /// K u - forces, shape (nodes, 3); summed over the ranks of a node. On periodic faces: the force that the opposite side
  /// bears.
  std::vector<double> reaction_N;
  std::vector<std::int32_t> copies;  ///< nodes also present on a lower rank, ascending: skip them in sums over ranks
  solve_certificate certificate;
};

/// Solves K u = f with prescribed displacements, for a sequence of load cases, by multigrid-preconditioned conjugate
/// gradients. Load cases share the set-up.
class elasticity_solver {
 public:
  /// Borrows the problem and the log for its lifetime.
  /// @throws data_error if the problem has a free rigid motion or no active cells
  /// @collective on problem.where.comm
  elasticity_solver(const elasticity_problem& problem, const options& how, log_sink& log);
  ~elasticity_solver();
  elasticity_solver(const elasticity_solver&) = delete;
  elasticity_solver& operator=(const elasticity_solver&) = delete;

  /// A solution that missed the tolerance is returned with certificate.converged = false.
  /// @collective
  elasticity_solution solve(const elasticity_load& load);

  /// Same as solve, but the solver may not be used again: its memory is reused for the solution.
  /// @collective
  elasticity_solution solve_last(const elasticity_load& load);

 private:
  class conjugate_gradients;
  std::unique_ptr<conjugate_gradients> solver_;
};

/// Solve one load case without forces.
/// @throws as elasticity_solver @collective on problem.where.comm
elasticity_solution solve_elasticity(const elasticity_problem& problem, const options& how, log_sink& log);

/// Solve one load case in one iteration on virtual ranks without values (comm/virtual_ranks.hpp), which count their
/// messages. Supports are optional: messages do not depend on them. Parts are: set-up, load, a restart, an iteration, a
/// restart, the rest of the load.
/// @throws data_error if the problem has no active cells @collective on problem.where.comm
void count_messages(elasticity_problem problem, const message_count& count);

/// Strain energy of each voxel divided by its volume, u.K_e.u / (2 V) [MPa], from the mechanical strain: zero in free
/// thermal expansion. Integrated over the volume it equals the work of the load. It is at least the density at the voxel's
/// centre (strain_stress.hpp), which other programs call the strain energy density.
/// @param thermal_strain per active cell (thermal_load.hpp); empty: none
/// @collective local
std::vector<float> integrated_energy_density(const elasticity_problem& problem, const std::vector<double>& displacement_mm,
                                             std::span<const double> thermal_strain = {});

}  // namespace osteon::physics
