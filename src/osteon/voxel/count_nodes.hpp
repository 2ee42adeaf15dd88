#pragma once
/// @file
/// How many nodes a model has, before anything is built of it.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/base/material_number.hpp>

namespace osteon::voxel {

struct node_count {
  std::int64_t all = 0;
  std::array<std::array<std::int64_t, 2>, 3> on_face{};  ///< of the image: by axis z, y, x, low and high
};

/// Count the corners of the non-zero voxels. @cost one pass over the image, two rows of memory
node_count count_nodes(view3<const material_number> image);

}  // namespace osteon::voxel
