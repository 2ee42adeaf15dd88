#pragma once
/// @file
/// Images whose grey values are changed as they are read: coarser voxels, noise.
#include <cstdint>
#include <osteon/voxel/image_planes.hpp>

namespace osteon::voxel {

/// Shape of an image whose voxels are `factor` times as large along each axis, rounded up.
index3 coarsened_shape(index3 shape, std::int64_t factor);

/// The same specimen in fewer voxels: each is the mean of the part of the image that it covers, voxels by the part of them
/// that lies in it. Type f4.
/// @param shape of the result, along no axis more than that of the image
image_planes coarsen(const image_planes& scan, index3 shape);

/// An image with a noise of normal distribution. Type f4. The noise depends on the seed and a voxel's place alone.
/// @param sd standard deviation @param blur_voxels of the Gaussian that white noise is blurred by; 0: it stays white
image_planes with_noise(const image_planes& scan, double sd, double blur_voxels, std::uint64_t seed);

}  // namespace osteon::voxel
