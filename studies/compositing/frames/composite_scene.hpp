#pragma once
/// @file
/// Partial images to composite, and the picture that they should become.
#include <osteon/compositing/pixel_rectangle.hpp>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

struct composite_case {
  int width = 512, height = 512;
  kernel::pixel_format format;
  double active = 1;   ///< share of the picture that each rank's rectangle covers
  double seconds = 2;  ///< of measuring, all ways together
  unsigned seed = 1;   ///< of the visibility order and of the rectangles
};

/// The visibility order, and the partial image of a rank: premultiplied noise over a gradient, nothing outside its
/// rectangle.
std::vector<int> visibility_order(const composite_case& what, int ranks);
compositing::pixel_rectangle rectangle_of(const composite_case& what, int rank);
void render(const composite_case& what, int rank, std::span<std::byte> image);

/// What a channel of full strength is in a format, and a pixel of channels in [0, 1], rounded once.
double full_channel(kernel::colour_format colour);
void put_pixel(kernel::pixel_format format, std::byte* to, const double (&channel)[4], float depth);

/// The largest difference of `picture` from the exact composite of all ranks' images, in units of the last place (a
/// millionth for floating point), and what a way may differ whose compositor promises `bound`.
double worst_error(const composite_case& what, int ranks, std::span<const std::byte> picture);
double allowed_error(const composite_case& what, int ranks, double bound);

}  // namespace osteon::studies
