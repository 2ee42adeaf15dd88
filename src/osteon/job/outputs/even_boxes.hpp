#pragma once
/// @file
/// Partition of a file among ranks that only read it.
#include <osteon/grid/box_tree.hpp>

namespace osteon::job {

/// Return boxes of whole planes, which are contiguous in the file. If there are more ranks than planes, return bricks.
/// @throws usage_error if there are more ranks than voxels
grid::box_tree even_boxes(index3 shape, int ranks);

}  // namespace osteon::job
