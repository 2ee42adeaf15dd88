#pragma once
/// @file
/// Partition of a file among ranks that only read the file.
#include <osteon/grid/box_tree.hpp>

namespace osteon::job {

/// Return boxes of complete planes. Planes are contiguous in the file. If there are more ranks than planes, the function
/// returns bricks.
/// @throws usage_error if there are more ranks than voxels
grid::box_tree even_boxes(index3 shape, int ranks);

}  // namespace osteon::job
