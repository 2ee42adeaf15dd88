#pragma once
/// @file
/// The grey value that separates solid from empty space.
#include <osteon/voxel/image_planes.hpp>

namespace osteon::voxel {

/// The grey value that best separates an image into two classes; solid is what lies above it.
///
/// Maximises the between-class variance. Integer images of at most 16 bits are treated exactly, others in 65,536 bins
/// over their range.
/// @cite [Otsu1979], eq. 18
/// @throws data_error if the image has only one grey value
double otsu_threshold(const image_planes& scan, grey_range range);

}  // namespace osteon::voxel
