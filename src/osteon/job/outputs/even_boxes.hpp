#pragma once
/// @file
/// Partition of a file among ranks that only read it.
#include <osteon/grid/box_tree.hpp>

namespace osteon::job {

/// Whole planes, each contiguous in the file; bricks if there are more ranks than planes.
/// @throws usage_error if there are more ranks than voxels
grid::box_tree even_boxes(index3 shape, int ranks);

}  // namespace osteon::job
