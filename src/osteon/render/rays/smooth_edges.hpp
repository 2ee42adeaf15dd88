#pragma once
/// @file
/// Antialiasing of edges with several rays per pixel.
#include <array>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/scene/image.hpp>

namespace osteon::render {

/// Offsets in pixels between the additional rays of a pixel and its centre. All columns differ, and all rows differ.
inline constexpr std::array<std::array<double, 2>, 3> ray_offsets{{{-0.33, -0.11}, {0.11, 0.33}, {0.33, -0.33}}};

/// Find the pixels at edges. A pixel at the boundary of the drawn area is at an edge. A pixel is also at an edge if its
/// brightness and the brightness of its neighbours differ by more than 32 of 255 levels.
/// @param rows rows of the picture on this rank @param height height of the picture
/// @return set of pixels, equal on all ranks @collective on comm @cost 9 bits per pixel of the picture on every rank
pixel_set find_edges(MPI_Comm comm, const image& rows, int height);

/// Add the colours of one more ray in each pixel of `only`.
void add_pixels(image& sum, const image& more, const pixel_set& only);
/// Add the pixels of a frame to the sum, and clear the frame.
void add_and_clear(image& sum, std::vector<std::array<float, 4>>& more, const pixel_box& frame, const pixel_set& only);
/// Divide the sum of colours by the number of rays.
void divide_pixels(image& sum, int rays, const pixel_set& only);

}  // namespace osteon::render
