#pragma once
/// @file
/// Resultant of the reactions at a set of nodes, and balance of all forces.
#include <array>
#include <optional>
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// Force and moment of the supports at a set of nodes. Positions are in mm from the low corner of the image.
struct wrench {
  std::int64_t nodes = 0;  ///< nodes of all ranks, each counted once
  vector3 about_mm;        ///< reference point of the moment
  vector3 force_N;
  vector3 moment_N_mm;  ///< sum of (position - about) x force
};

/// Resultant of the reactions at nodes of all ranks. Shared nodes are counted once.
/// @param nodes ascending local numbers
/// @param about_mm reference point of the moment; absent: mean position of the nodes
/// @collective on problem.where.comm @cost two allreduces of ten numbers
wrench resultant(const elasticity_problem& problem, const elasticity_solution& solution, std::span<const std::int32_t> nodes,
                 std::optional<vector3> about_mm = std::nullopt);

/// Balance of all external forces on a solid, for the certificate of a solution.
class force_balance {
 public:
  /// Add a force along z, y or x (0, 1, 2) at a node. Only one rank adds each force. @param moves displacement along the
  /// force [mm]
  void add(const elasticity_problem& problem, std::int32_t node, int along, double force_N, double moves);
  /// Set the imbalances and the error of the energy identity. @param energy u^T K u @collective on comm
  void certify(MPI_Comm comm, double energy, numerics::solve_certificate& certificate);

 private:
  std::array<double, 9> sums_{};  // force along z, y, x; moment about z, y, x; magnitudes of force and moment; work
};

}  // namespace osteon::physics
