#pragma once
/// @file
/// A decomposition in which each rank has whole lines of voxels.
#include <osteon/grid/box_tree.hpp>

namespace osteon::morphometry {

/// Boxes that reach from end to end along one axis, of about equal size.
/// @param along 0 z, 1 y, 2 x
/// @throws usage_error if there are more ranks than lines @collective local
grid::box_tree pencils(index3 domain, int along, int ranks);

}  // namespace osteon::morphometry
