#pragma once
/// @file
/// The resultant of the reactions on a set of nodes.
#include <optional>
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// Force and moment that a set of nodes receives from its supports. Positions are in mm from the low corner of the image.
struct wrench {
  std::int64_t nodes = 0;  ///< of the set, all ranks, each counted once
  vector3 about_mm;        ///< the point that the moment is about
  vector3 force_N;
  vector3 moment_N_mm;  ///< sum of (position - about) x force
};

/// Resultant of the reactions at some nodes of each rank, every node counted once.
/// @param nodes ascending local numbers
/// @param about_mm the point that the moment is about; absent: the mean position of the set's nodes
/// @collective on problem.where.comm @cost two allreduces of ten numbers
wrench resultant(const elasticity_problem& problem, const elasticity_solution& solution, std::span<const std::int32_t> nodes,
                 std::optional<vector3> about_mm = std::nullopt);

}  // namespace osteon::physics
