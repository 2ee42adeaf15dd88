#pragma once
/// @file
/// Number of nodes of a model, counted without numbering the nodes.
#include <array>
#include <cstdint>
#include <osteon/voxel/image_runs.hpp>

namespace osteon::voxel {

struct node_count {
  std::int64_t all = 0;
  std::array<std::array<std::int64_t, 2>, 3> on_face{};  ///< nodes on faces of the image: by axis z, y, x, low and high
};

/// Count the corners of the active cells. @cost O(runs) time, memory of one row
node_count count_nodes(const image_runs& cells);

}  // namespace osteon::voxel
