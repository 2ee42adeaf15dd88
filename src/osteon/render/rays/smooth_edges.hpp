#pragma once
/// @file
/// Edges without steps: which pixels of a picture take more than one ray.
#include <array>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/scene/image.hpp>

namespace osteon::render {

/// Where else rays go through a pixel, from its middle on, in pixels: columns and rows all differ.
inline constexpr std::array<std::array<double, 2>, 3> beside_middle{{{-0.33, -0.11}, {0.11, 0.33}, {0.33, -0.33}}};

/// The pixels where the picture ends, or around which its brightest and its darkest pixel are more than 32 of 255 levels
/// apart.
/// @param rows of the picture, on each rank some @param height of the picture
/// @return the same on all ranks @collective on comm @cost a byte and a bit for each pixel of the picture, on every rank
pixel_set find_edges(MPI_Comm comm, const image& rows, int height);

/// Add what another ray of each pixel shows, and in the end divide by the number of rays.
void add_pixels(image& sum, const image& more, const pixel_set& only);
/// The same of pixels of a frame, which are empty afterwards.
void take_pixels(image& sum, std::vector<std::array<float, 4>>& more, const pixel_box& frame, const pixel_set& only);
void divide_pixels(image& sum, int rays, const pixel_set& only);

}  // namespace osteon::render
