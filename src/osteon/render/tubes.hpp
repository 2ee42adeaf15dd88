#pragma once
/// @file
/// Lines in a picture: tubes, the parts of which that rays meet first, and their light.
#include <cstdint>
#include <limits>
#include <osteon/render/picture.hpp>
#include <osteon/render/view.hpp>
#include <vector>

namespace osteon::render {

/// What a pixel's ray meets of the tubes.
struct tube_hit {
  double t = std::numeric_limits<double>::infinity();  ///< along the ray [mm]; infinite: nothing
  double part = 0;                                     ///< along the segment, 0 to 1
  std::int32_t segment = -1;                           ///< number of its first vertex
  bool is_cut = false;                                 ///< the ray begins within the tube
};

/// The first hits of the rays of a rectangle of pixels, in the part of the domain that planes leave.
class tube_hits {
 public:
  tube_hits() = default;
  /// @cost for each segment its pixels; memory 32 bytes a pixel
  tube_hits(const view& from, const tubes& what, const pixel_box& pixels);

  const pixel_box& pixels() const { return pixels_; }
  const tube_hit& at(int column, int row) const {
    return hits_[static_cast<std::size_t>((row - pixels_.top) * pixels_.width() + column - pixels_.left)];
  }

 private:
  pixel_box pixels_;
  std::vector<tube_hit> hits_;
};

/// Put the tubes behind what has been seen in front of them: rays end where they meet one.
/// @param picture premultiplied colours; rows within `hits`
void put_tubes_behind(image& picture, const view& from, const tubes& what, const tube_hits& hits);

}  // namespace osteon::render
