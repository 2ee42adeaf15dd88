#pragma once
/// @file
/// How well opposite faces of an image fit together when it repeats itself.
#include <array>
#include <osteon/solve/elasticity/elasticity.hpp>

namespace osteon::solve {

/// The nodes of the low and the high face across an axis.
struct partner_count {
  std::int64_t nodes = 0;   ///< on either face
  std::int64_t paired = 0;  ///< of these, those with a node at the same place of the other face
};

/// Count the nodes on opposite faces that have a partner, across z, y and x. A node without one is a free surface.
/// @collective on problem.where.comm
/// @cost an allreduce of a byte for each point of a face
std::array<partner_count, 3> count_partners(const elasticity_problem& problem);

}  // namespace osteon::solve
