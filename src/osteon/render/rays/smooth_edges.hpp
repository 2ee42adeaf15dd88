#pragma once
/// @file
/// Antialiasing of edges: selection of pixels with several rays.
#include <array>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/scene/image.hpp>

namespace osteon::render {

/// Offsets of the additional rays of a pixel from its centre, in pixels: all columns and rows differ.
inline constexpr std::array<std::array<double, 2>, 3> beside_middle{{{-0.33, -0.11}, {0.11, 0.33}, {0.33, -0.33}}};

/// Find the pixels at the boundary of the drawn area, or in whose neighbourhood the brightest and the darkest pixel differ
/// by more than 32 of 255 levels.
/// @param rows rows of the picture on this rank @param height height of the picture
/// @return the same on all ranks @collective on comm @cost a byte and a bit per pixel of the picture, on every rank
pixel_set find_edges(MPI_Comm comm, const image& rows, int height);

/// Add the colours of another ray of each pixel; after the last ray, divide by the number of rays.
void add_pixels(image& sum, const image& more, const pixel_set& only);
/// Add the pixels of a frame, which are empty afterwards.
void take_pixels(image& sum, std::vector<std::array<float, 4>>& more, const pixel_box& frame, const pixel_set& only);
void divide_pixels(image& sum, int rays, const pixel_set& only);

}  // namespace osteon::render
