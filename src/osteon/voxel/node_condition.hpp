#pragma once
/// @file
/// Prescribed displacements and forces of individual nodes in a model, as in constraint files of VOX-FE and models of FAIM.
#include <array>
#include <osteon/base/box.hpp>

namespace osteon::voxel {

/// Entry of a list of conditions. A node may have several entries. Prescribed displacements are merged: the last entry of an
/// axis replaces earlier entries. Forces are added.
struct node_condition {
  index3 node;                 ///< position in the image; node 0 is the low corner of voxel 0
  std::array<bool, 3> held{};  ///< z, y, x: the displacement along this axis is prescribed
  vector3 force_N;
  bool preserved = false;  ///< true: node is excluded from remodelling; no effect on mechanics
  vector3 move_mm{};       ///< displacement along the axes in `held`
  friend bool operator==(const node_condition&, const node_condition&) = default;
};

}  // namespace osteon::voxel
