#pragma once
/// @file
/// Node sets on the faces of the domain, and the boundary conditions made from them.
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::voxel {

/// A prescribed displacement of one node in one axis.
struct face_displacement {
  std::int32_t node;  ///< local number
  axis direction;
  double value_mm;
};

/// The nodes of a block that lie on the low or high face of the whole domain.
/// @param nodes of the block, coordinates local to it
/// @param owned the block's voxels, in the domain @param domain voxels of the whole image
std::vector<std::int32_t> face_nodes(const run_set& nodes, const box3& owned, index3 domain, axis along, bool high_face);

/// Bonded compression or tension: both faces are held in all axes, the high one is driven along `along` by `driven_mm`.
std::vector<face_displacement> bonded_axial(const run_set& nodes, const box3& owned, index3 domain, axis along,
                                            double driven_mm);

}  // namespace osteon::voxel
