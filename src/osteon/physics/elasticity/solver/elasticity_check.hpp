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

/// The faults of a load case detected on this rank.
/// @throws usage_error, data_error @collective local
void check_load(const elasticity_problem& problem, const elasticity_load& load);

/// Names of the rigid motions that the fixed displacements allow, e.g. "translation along x"; a motion about a tilted
/// axis is named after the axes closest to it.
/// @collective on problem.where.comm
std::vector<std::string> free_rigid_motions(const elasticity_problem& problem);

}  // namespace osteon::physics
