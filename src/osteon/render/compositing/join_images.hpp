#pragma once
/// @file
/// Compositing of the partial images of the ranks. The result of each frame is distributed by rows.
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

/// The visible rectangle of a rank relative to the frame.
comm::pixel_rectangle rectangle_within(const pixel_box& frame, const pixel_box& seen);

/// Name of the transfers of finished rows in the message ledger.
std::string rows_counted_as(kernel::pixel_format composited);
/// Pixel format of finished rows in transfers. Before the transfer, wide pixels are rounded to a format with a quarter of
/// the bytes. The rounding does not change the bits of the 8-bit picture.
kernel::pixel_format format_of_rows(kernel::pixel_format composited);

/// A compositor for one size of images and one request. Parameters that the request does not contain are selected for the
/// first picture.
class image_join {
 public:
  image_join(MPI_Comm comm, const compositing& request) : comm_(comm), request_(request) {}
  const compositing& request() const { return request_; }

  /// Create a compositor for this size of images if necessary.
  /// @param active rectangle of this rank in the image @throws errors of comm::compositor::make @collective on comm
  void prepare(int width, int height, const comm::pixel_rectangle& active);

  kernel::pixel_format format() const { return {request_.pixels}; }
  /// Buffer for the image of this rank, shape (height, width). The function clears the pixels in `active`.
  std::byte* image();
  /// @param order ranks in front-to-back order @collective on comm
  void run(std::span<const int> order);

  /// Move pixels of the picture to the requested ranks as premultiplied float RGBA.
  /// @param first_pixel first pixel of each rank, followed by the number of pixels; ascending, starting with 0
  /// @return pixels of this rank @collective on comm
  std::vector<float> pixels(std::span<const std::int64_t> first_pixel);

  /// Method, transport, and reason for the selection.
  const std::string& description() const { return description_; }

 private:
  comm::composite_options options() const;
  void create(comm::composite_options wanted, comm::transport by, const std::string& method);
  void choose(const comm::composite_options& wanted);

  MPI_Comm comm_;
  compositing request_;
  int width_ = 0, height_ = 0;
  comm::pixel_rectangle active_;
  std::optional<comm::compositor> compositor_;
  std::optional<comm::transport> by_;  ///< selected transport
  std::string method_, description_;
};

}  // namespace osteon::render
