#pragma once
/// @file
/// Linear elasticity on voxels. Each active voxel is one eight-node brick. Void has no unknowns.
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

/// Loads of a load case.
struct elasticity_load {
  std::vector<double> prescribed_mm;  ///< one value per entry of problem.fixed; empty: the values in problem.fixed
  std::vector<nodal_force> forces;    ///< forces at the same node are summed, also over ranks
  /// Mean strain xx, yy, zz, xy, yz, xz (engineering shears) for periodic faces. The solution includes the linear
  /// displacement of the mean strain. Prescribed values are relative to this linear displacement.
  std::array<double, 6> mean_strain{};
};

struct elasticity_solution {
  std::vector<double> displacement_mm;  ///< shape (nodes, 3), axes z, y, x; equal on all ranks that share a node
  /// K u - forces, shape (nodes, 3), summed over the ranks of a node. On periodic faces, the reaction is the force exerted
  /// by the opposite face.
  std::vector<double> reaction_N;
  /// Nodes also present on a lower rank, ascending; sums over ranks must skip these nodes.
  std::vector<std::int32_t> copies;
  solve_certificate certificate;
};

/// Solves K u = f with prescribed displacements by multigrid-preconditioned conjugate gradients. All load cases of a
/// solver share the set-up.
class elasticity_solver {
 public:
  /// Borrows the problem and the log for its lifetime.
  /// @throws data_error if the problem has a free rigid motion or no active cells
  /// @collective on problem.where.comm
  elasticity_solver(const elasticity_problem& problem, const options& options, log_sink& log);
  ~elasticity_solver();
  elasticity_solver(const elasticity_solver&) = delete;
  elasticity_solver& operator=(const elasticity_solver&) = delete;

  /// Solve a load case. If the solver does not converge, certificate.converged is false.
  /// @collective
  elasticity_solution solve(const elasticity_load& load);

  /// Solve the last load case. The solution reuses the memory of the solver. The solver must not be used after this call.
  /// @collective
  elasticity_solution solve_last(const elasticity_load& load);

 private:
  class conjugate_gradients;
  std::unique_ptr<conjugate_gradients> solver_;
};

/// Solve one load case without forces.
/// @throws as elasticity_solver @collective on problem.where.comm
elasticity_solution solve_elasticity(const elasticity_problem& problem, const options& options, log_sink& log);

/// Count the messages of a load case with one iteration on virtual ranks (comm/virtual_ranks.hpp). Supports are optional,
/// because supports do not affect messages. The counted parts are set-up, load, restart, iteration, restart, and the rest
/// of the load.
/// @throws data_error if the problem has no active cells @collective on problem.where.comm
void count_messages(elasticity_problem problem, const message_count& count);

/// Mean strain energy density of each voxel, u.K_e.u / (2 V) [MPa]. The density is the energy of the mechanical strain and
/// is zero in free thermal expansion. The volume integral of the density equals the work of the load. The mean density is
/// not less than the density at the voxel centre (strain_stress.hpp). Other programs output the density at the voxel
/// centre.
/// @param thermal_strain per active cell (thermal_load.hpp); empty: none
/// @collective local
std::vector<float> integrated_energy_density(const elasticity_problem& problem, const std::vector<double>& displacement_mm,
                                             std::span<const double> thermal_strain = {});

}  // namespace osteon::physics
