#pragma once
/// @file
/// Validation of an elasticity problem.
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

/// Reject a problem without a unique solution.
/// @throws data_error as solve_elasticity does
/// @collective on problem.where.comm
void check_elasticity(const elasticity_problem& problem);

/// Check the load of a case on this rank.
/// @throws usage_error, data_error @collective local
void check_load(const elasticity_problem& problem, const elasticity_load& load);

/// Names of the rigid motions permitted by the prescribed displacements, for example "translation along x". A motion about
/// an oblique axis is named after the closest axes.
/// @collective on problem.where.comm
std::vector<std::string> free_rigid_motions(const elasticity_problem& problem);

}  // namespace osteon::physics
