#pragma once
/// @file
/// Lines in a picture as tubes: first intersections with rays, and lighting.
#include <array>
#include <cstdint>
#include <limits>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/image.hpp>
#include <osteon/render/scene/scene.hpp>
#include <vector>

namespace osteon::render {

/// Image of the tubes in a pixel, from several rays for smooth edges.
struct tube_hit {
  double t = std::numeric_limits<double>::infinity();  ///< first intersection of the rays [mm]; infinite: none
  std::array<float, 3> colour{};                       ///< lit colour, mean over the intersecting rays
  float share = 0;                                     ///< fraction of intersecting rays
};

/// First hits of the rays of a rectangle of pixels, in the clipped domain.
class tube_hits {
 public:
  tube_hits() = default;
  /// @cost for each segment its pixels; memory 24 bytes per pixel
  tube_hits(const view& from, const tubes& what, const pixel_box& pixels);

  const pixel_box& pixels() const { return pixels_; }
  const tube_hit& at(int column, int row) const {
    return hits_[static_cast<std::size_t>((row - pixels_.top) * pixels_.width() + column - pixels_.left)];
  }

 private:
  pixel_box pixels_;
  std::vector<tube_hit> hits_;
};

/// Composite the tubes into a picture. A pixel with coverage c is c times the content in front of them over their colour,
/// plus 1 - c times the picture without them.
/// @param picture with rays that end at the first tube; receives the result
/// @param without rays without tubes, of partially covered pixels
void put_tubes(image& picture, const image& without, const tube_hits& hits);

}  // namespace osteon::render
