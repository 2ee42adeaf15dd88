#pragma once
/// @file
/// Lines in a picture: tubes, the parts of which that rays meet first, and their light.
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
  double t = std::numeric_limits<double>::infinity();  ///< where the first of the rays meets one [mm]; infinite: none does
  std::array<float, 3> colour{};                       ///< lit, the mean of the rays that meet one
  float share = 0;                                     ///< of the rays that meet one
};

/// The first hits of the rays of a rectangle of pixels, in the part of the domain that planes leave.
class tube_hits {
 public:
  tube_hits() = default;
  /// @cost for each segment its pixels; memory 24 bytes a pixel
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
