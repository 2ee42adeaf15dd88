#pragma once
/// @file
/// Dense node fields of neighbouring blocks share a plane of nodes.
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::grid {

/// Complete the lowest node plane of a dense node field with the nodes that only the block below has.
///
/// The plane of nodes between two blocks belongs to the upper one, but a node there may touch voxels of the lower block
/// only. NaN marks a node that a block does not have.
/// @param values shape (owned planes + 1, domain.y + 1, domain.x + 1, components)
/// @collective on where.comm @cost one plane of floats to each neighbour
void complete_lowest_plane(const block& where, std::vector<float>& values, int components);

}  // namespace osteon::grid
