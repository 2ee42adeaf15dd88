#pragma once
/// @file
/// Removal of the empty space around a solid.
#include <osteon/voxel/segment.hpp>

namespace osteon::voxel {

/// Smallest box of the voxels of a solid. @pre the solid has a voxel
box3 box_of_solid(const image_runs& solid);

/// The part of a segmented image in the box of its solid. Volume fraction and percolation of the report refer to this box;
/// the other numbers refer to the whole image.
/// @param options options of the segmentation; `keep` is ignored, because parts are selected already
/// @throws data_error if the solid must connect the faces of the box and does not connect the faces
/// @cost the connected parts of the solid, if the box is smaller than the image
segmented crop_to_solid(const segmented& model, const segmentation_options& options);

}  // namespace osteon::voxel
