#pragma once
/// @file
/// Partial images, and the exact picture of these images.
#include <osteon/compositing/pixel_rectangle.hpp>
#include <osteon/kernel/blend/pixel.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

struct composite_case {
  int width = 512, height = 512;
  kernel::pixel_format format;
  double active = 1;   ///< fraction of the picture that the rectangle of each rank covers
  double seconds = 2;  ///< total time in s for the measurement of all methods
  unsigned seed = 1;   ///< seed for the visibility order and for the rectangles
};

/// The visibility order, and the partial image of a rank. The image consists of premultiplied noise over a gradient. Outside
/// of the rectangle of the rank, the image is zero.
std::vector<int> visibility_order(const composite_case& scene, int ranks);
compositing::pixel_rectangle rectangle_of(const composite_case& scene, int rank);
void render(const composite_case& scene, int rank, std::span<std::byte> image);

/// Maximum value of a channel in a format. Convert a pixel with channels in [0, 1] to the format, with one rounding.
double full_channel(kernel::colour_format colour);
void put_pixel(kernel::pixel_format format, std::byte* to, const double (&channel)[4], float depth);

/// The largest difference between `picture` and the exact composite of the images of all ranks. The unit is the last place
/// (for floating point, a millionth). The second function returns the tolerance for a method whose compositor guarantees
/// `bound`.
double worst_error(const composite_case& scene, int ranks, std::span<const std::byte> picture);
double allowed_error(const composite_case& scene, int ranks, double bound);

}  // namespace osteon::studies
