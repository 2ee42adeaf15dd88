#pragma once
/// @file
/// The support of a body that is free to deform.
#include <osteon/solve/elasticity/elasticity.hpp>

namespace osteon::solve {

/// Six displacements that hold the rigid motions and nothing else, so that loads in balance cause no reactions: one node
/// is held in three axes, the one farthest from it in two, the one farthest from the line through both in one.
///
/// The nodes do not depend on the number of ranks; every rank that has one of them prescribes it.
/// @collective on problem.where.comm, which must have an active cell @cost three passes over the nodes
std::vector<prescribed_displacement> determinate_support(const elasticity_problem& problem);

/// Hold one voxel of the solid at all of its nodes: find_loose_parts() then tells what does not hang together with it.
/// @collective on problem.where.comm
std::vector<prescribed_displacement> support_of_a_voxel(const elasticity_problem& problem);

}  // namespace osteon::solve
