#pragma once
/// @file
/// Lines as tubes: first intersections with rays, and lighting.
#include <array>
#include <cstdint>
#include <limits>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/image.hpp>
#include <osteon/render/scene/scene.hpp>
#include <vector>

namespace osteon::render {

/// Image of the tubes in a pixel. Several rays per pixel yield smooth edges.
struct tube_hit {
  double t = std::numeric_limits<double>::infinity();  ///< first intersection [mm]; infinite without intersection
  std::array<float, 3> colour{};                       ///< mean lit colour of the intersecting rays
  float share = 0;                                     ///< fraction of intersecting rays
};

/// First intersections of rays with tubes in a rectangle of pixels, within the clipped domain.
class tube_hits {
 public:
  tube_hits() = default;
  /// @cost time: sum of the pixels of all segments; memory: 24 bytes per pixel
  tube_hits(const view& from, const tubes& tubes, const pixel_box& pixels);

  const pixel_box& pixels() const { return pixels_; }
  const tube_hit& at(int column, int row) const {
    return hits_[static_cast<std::size_t>((row - pixels_.top) * pixels_.width() + column - pixels_.left)];
  }

 private:
  pixel_box pixels_;
  std::vector<tube_hit> hits_;
};

/// Composite the tubes into a picture. A pixel in which tubes cover the fraction c is the sum of two terms. The first term
/// is c times the tube colour behind the content in front of the tubes. The second term is 1 - c times the picture without
/// tubes.
/// @param picture input: picture of rays that end at the first tube; output: the result
/// @param without picture without tubes, required in partially covered pixels
void put_tubes(image& picture, const image& without, const tube_hits& hits);

}  // namespace osteon::render
