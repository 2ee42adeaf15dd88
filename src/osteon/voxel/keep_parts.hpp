#pragma once
/// @file
/// Which connected parts of a solid are kept (internal to voxel).
#include <osteon/voxel/segment.hpp>

namespace osteon::voxel {

/// The parts of the solid that are kept, and the report of all.
/// @param cells without numbers; as it is if nothing is dropped
/// @throws data_error if what is kept does not join the faces that it has to
run_set keep_parts(const run_set& cells, const segmentation_options& how, segmentation_report& report);

}  // namespace osteon::voxel
