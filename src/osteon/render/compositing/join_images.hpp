#pragma once
/// @file
/// Compositing of the partial images of ranks to rows of one picture, frame by frame.
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

/// Rectangle of a rank in the frame.
comm::pixel_rectangle rectangle_within(const pixel_box& frame, const pixel_box& seen);

/// Name under which transfers of finished rows to the colouring ranks are counted.
std::string rows_counted_as(kernel::pixel_format composited);
/// Format of this transfer: wide pixels are rounded before, with equal results, to a quarter of the bytes.
kernel::pixel_format format_of_rows(kernel::pixel_format composited);

/// A compositor for one image size and one request. Open parameters are selected at the first picture and kept.
class image_join {
 public:
  image_join(MPI_Comm comm, const compositing& how) : comm_(comm), how_(how) {}
  const compositing& how() const { return how_; }

  /// Prepare for images of a size: create a compositor if there is none for it.
  /// @param active rectangle of this rank within the image @throws as comm::compositor::make @collective on comm
  void prepare(int width, int height, const comm::pixel_rectangle& active);

  kernel::pixel_format format() const { return {how_.pixels}; }
  /// Buffer to draw into, shape (height, width), empty within `active`.
  std::byte* image();
  /// @param order ranks front to back @collective on comm
  void run(std::span<const int> order);

  /// Move pixels of the picture as premultiplied float RGBA to the requested ranks.
  /// @param first_pixel first pixel of each rank, ascending from 0, and the number of pixels
  /// @return pixels of this rank @collective on comm
  std::vector<float> pixels(std::span<const std::int64_t> first_pixel);

  /// Description of method, transport and reason.
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
