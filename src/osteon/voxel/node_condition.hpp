#pragma once
/// @file
/// What a model says about single nodes, as VOX-FE's constraint files do: which are held, which are pulled.
#include <array>
#include <osteon/base/box.hpp>

namespace osteon::voxel {

/// One line of a list. A node may have several: holds unite, forces add up.
struct node_condition {
  index3 node;                 ///< place in the image; node 0 is the low corner of voxel 0
  std::array<bool, 3> held{};  ///< z, y, x: no displacement along this axis
  vector3 force_N;
  bool preserved = false;  ///< kept out of remodelling; means nothing to mechanics
  friend bool operator==(const node_condition&, const node_condition&) = default;
};

}  // namespace osteon::voxel
