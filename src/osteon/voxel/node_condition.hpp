#pragma once
/// @file
/// What a model says about single nodes, as VOX-FE's constraint files and FAIM's models do: which are held or moved, which
/// are pulled.
#include <array>
#include <osteon/base/box.hpp>

namespace osteon::voxel {

/// One line of a list. A node may have several: holds unite (of two of an axis the later one counts), forces add up.
struct node_condition {
  index3 node;                 ///< place in the image; node 0 is the low corner of voxel 0
  std::array<bool, 3> held{};  ///< z, y, x: the displacement along this axis is prescribed
  vector3 force_N;
  bool preserved = false;  ///< kept out of remodelling; means nothing to mechanics
  vector3 move_mm{};       ///< along the held axes
  friend bool operator==(const node_condition&, const node_condition&) = default;
};

}  // namespace osteon::voxel
