#pragma once
/// @file
/// Partial images to composite, and the exact picture.
#include <osteon/compositing/pixel_rectangle.hpp>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

struct composite_case {
  int width = 512, height = 512;
  kernel::pixel_format format;
  double active = 1;   ///< fraction of the picture covered by the rectangle of each rank
  double seconds = 2;  ///< total measuring time of all methods
  unsigned seed = 1;   ///< seed of the visibility order and of the rectangles
};

/// The visibility order, and the partial image of a rank. The image contains premultiplied noise over a gradient, and is
/// zero outside the rectangle of the rank.
std::vector<int> visibility_order(const composite_case& scene, int ranks);
compositing::pixel_rectangle rectangle_of(const composite_case& scene, int rank);
void render(const composite_case& scene, int rank, std::span<std::byte> image);

/// Maximum value of a channel in a format. Conversion of a pixel with channels in [0, 1] to the format, with one rounding.
double full_channel(kernel::colour_format colour);
void put_pixel(kernel::pixel_format format, std::byte* to, const double (&channel)[4], float depth);

/// The largest difference of `picture` from the exact composite of the images of all ranks, in units of the last place (a
/// millionth for floating point). The second function returns the tolerance of a method with a compositor that guarantees
/// `bound`.
double worst_error(const composite_case& scene, int ranks, std::span<const std::byte> picture);
double allowed_error(const composite_case& scene, int ranks, double bound);

}  // namespace osteon::studies
