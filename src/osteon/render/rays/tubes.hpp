#pragma once
/// @file
/// Lines as tubes. The file contains the first intersections with rays, and the lighting.
#include <array>
#include <cstdint>
#include <limits>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/image.hpp>
#include <osteon/render/scene/scene.hpp>
#include <vector>

namespace osteon::render {

/// Image of the tubes in a pixel. Several rays per pixel produce smooth edges.
struct tube_hit {
  /// position of the first intersection along the ray [mm]; infinite without an intersection
  double t = std::numeric_limits<double>::infinity();
  std::array<float, 3> colour{};  ///< mean lit colour at the intersections
  float share = 0;                ///< fraction of the rays of the pixel that intersect a tube
};

/// First intersections of rays with tubes in a rectangle of pixels, inside the clipped domain.
class tube_hits {
 public:
  tube_hits() = default;
  /// @cost time proportional to the sum of the pixels of all segments; 24 bytes of memory per pixel
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
/// is c times the colour of the tubes behind the content in front of the tubes. The second term is 1 - c times the picture
/// without tubes.
/// @param picture on entry: picture of rays that end at the first tube; on return: the resulting picture
/// @param without picture without tubes; needed only in partially covered pixels
void put_tubes(image& picture, const image& without, const tube_hits& hits);

}  // namespace osteon::render
