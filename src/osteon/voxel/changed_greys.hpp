#pragma once
/// @file
/// Images with grey values that are modified during reading: coarsening and noise.
#include <cstdint>
#include <osteon/voxel/image_planes.hpp>

namespace osteon::voxel {

/// Shape of an image, rounded up, after its voxels are enlarged by `factor` along each axis.
index3 coarsened_shape(index3 shape, std::int64_t factor);

/// Coarsen an image. The value of a new voxel is the mean over the overlapping old voxels, weighted by overlap. The type of
/// the result is f4.
/// @param shape shape of the result; must not exceed the shape of the image
image_planes coarsen(const image_planes& scan, index3 shape);

/// Add normally distributed noise. The noise of a voxel depends only on the seed and the position of the voxel. The type of
/// the result is f4.
/// @param sd standard deviation @param blur_voxels width of the Gaussian filter of the noise; 0: white noise
image_planes with_noise(const image_planes& scan, double sd, double blur_voxels, std::uint64_t seed);

}  // namespace osteon::voxel
