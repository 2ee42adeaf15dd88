#pragma once
/// @file
/// Parts that can move without deformation, but bear load between two places.
#include <osteon/physics/elasticity/solver/part_motions.hpp>

namespace osteon::physics {

/// Supports of parts, for find_spanning_parts. The same on all ranks.
struct part_plates {
  std::vector<int> touched;  ///< per part, a bit for each plate or support that counts as one place
  std::vector<int> ignored;  ///< per part, not 0 if it is no load path
};

/// The parts that can move, and of which no single place separates from all that is held: a strut that turns about the line
/// between two nodes bears load along it. A place is a node at which parts meet, a row of such nodes, or a plate. What hangs
/// on one place bears nothing.
/// @param joint the motions of the parts @return per part @collective on parts.comm()
std::vector<std::uint8_t> find_spanning_parts(const solid_parts& parts, part_motions& joint, const part_plates& plates);

}  // namespace osteon::physics
