#pragma once
/// @file
/// The ranks' partial images become rows of one picture, frame after frame.
#include <mpi.h>

#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/compositing.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

/// What a rank draws in: what it sees, from the frame's corner on and within it.
comm::pixel_rectangle rectangle_within(const pixel_box& frame, const pixel_box& seen);

/// What rows of a finished picture are counted as on their way to the ranks that colour them.
std::string rows_counted_as(kernel::pixel_format composited);
/// The format in which they go there: wide pixels are rounded before, to the same bits, in a quarter of the bytes.
kernel::pixel_format format_of_rows(kernel::pixel_format composited);

/// A compositor of one size of images and one wish. What the wish leaves open is chosen at the first picture and kept.
class image_join {
 public:
  image_join(MPI_Comm comm, const compositing& how) : comm_(comm), how_(how) {}
  const compositing& how() const { return how_; }

  /// Be ready for images of a size: a compositor is made if there is none for it.
  /// @param active what this rank will draw in, within the image @throws as comm::compositor::make @collective on comm
  void prepare(int width, int height, const comm::pixel_rectangle& active);

  kernel::pixel_format format() const { return {how_.pixels}; }
  /// Where to draw, shape (height, width), empty within `active`.
  std::byte* image();
  /// @param order the ranks front to back @collective on comm
  void run(std::span<const int> order);

  /// Pixels of the picture as premultiplied float RGBA, from where they were finished to who wants them.
  /// @param first_pixel of each rank, rising from 0, and the number of pixels
  /// @return those of this rank @collective on comm
  std::vector<float> pixels(std::span<const std::int64_t> first_pixel);

  /// The method and transport, and why, in words.
  const std::string& description() const { return description_; }

 private:
  comm::composite_options options() const;
  void choose(const comm::composite_options& wanted);

  MPI_Comm comm_;
  compositing how_;
  int width_ = 0, height_ = 0;
  comm::pixel_rectangle active_;
  std::optional<comm::compositor> compositor_;
  std::optional<comm::transport> by_;  ///< as chosen
  std::string method_, description_;
};

}  // namespace osteon::render
