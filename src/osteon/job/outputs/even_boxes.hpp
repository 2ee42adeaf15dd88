#pragma once
/// @file
/// Parts of a file for ranks that only look at it.
#include <osteon/grid/box_tree.hpp>

namespace osteon::job {

/// Whole planes, which are read in one piece; bricks where there are more ranks than planes.
/// @throws usage_error if there are more ranks than voxels
grid::box_tree even_boxes(index3 shape, int ranks);

}  // namespace osteon::job
