#pragma once
/// @file
/// Which voxels are solid: by a given grey value, or by Otsu's.
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/image.hpp>
#include <vector>

namespace osteon::voxel {

/// The grey value that best separates an image into two classes; solid is what lies above it.
///
/// Maximises the between-class variance. Integer images of at most 16 bits are treated exactly, others in 65,536 bins
/// over their range.
/// @cite [Otsu1979], eq. 18
/// @throws data_error if the image has only one grey value
double otsu_threshold(const image& scan, grey_range range);

/// 1 where low < grey <= high, else 0; shape of the image.
std::vector<material_number> solid_voxels(const image& scan, double low, double high);

}  // namespace osteon::voxel
