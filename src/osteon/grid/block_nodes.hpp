#pragma once
/// @file
/// Numbering of the nodes of a block, and nodes that several blocks have in common.
#include <osteon/grid/block.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/voxel/run_set.hpp>

namespace osteon::grid {

/// Global number of the node at a position in the image. The number is independent of the decomposition.
inline std::int64_t node_id(index3 domain, index3 node) {
  return (node.z * (domain.y + 1) + node.y) * (domain.x + 1) + node.x;
}

/// Find the nodes of a block that have copies on other ranks. @param nodes corners of the active voxels of the block
/// @param periodic for each axis z, y, x: true if the last plane of nodes is identical to the first plane
/// @collective on where.comm
shared_nodes share_nodes(const block& where, const voxel::run_set& nodes, const std::array<bool, 3>& periodic = {});

}  // namespace osteon::grid
