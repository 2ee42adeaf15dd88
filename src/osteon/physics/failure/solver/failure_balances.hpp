#pragma once
/// @file
/// A state of yielded voxels as answers read it: displacements, reactions, and how well they balance.
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/failure/solver/equilibrium.hpp>

namespace osteon::physics {

/// Fill in displacements, reactions, copies and the certificate's balances. @param yields false: as if no voxel could
/// @collective
void write_state(equilibrium& body, const elasticity_problem& problem, std::vector<double>& u, bool yields,
                 elasticity_solution& to);

}  // namespace osteon::physics
