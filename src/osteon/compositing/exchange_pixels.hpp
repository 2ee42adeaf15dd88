#pragma once
/// @file
/// The pixels of a rank in a compositing plan.
#include <memory>
#include <osteon/compositing/exchange_schedule.hpp>

namespace osteon::compositing {

/// Pixels in two formats: the format of images and picture (narrow), and the wider format of intermediate results (wide).
class exchange_pixels {
 public:
  /// @param narrow shape (elements); must outlive this object
  exchange_pixels(const exchange_schedule& schedule, const exchange_object& object, std::int64_t elements,
                  std::byte* narrow);
  kernel::pixel_format format(bool wide) const { return wide ? kernel::wider(format_) : format_; }
  /// Address of a pixel. Memory in the wide format exists only for pixels that are wide in the schedule.
  std::byte* at(bool wide, std::int64_t pixel) {
    return wide ? wide_.get() + (pixel - first_wide_) * static_cast<std::int64_t>(format(true).bytes())
                : narrow_ + pixel * static_cast<std::int64_t>(format_.bytes());
  }
  std::int64_t wide_bytes() const { return wide_bytes_; }

 private:
  kernel::pixel_format format_;
  std::byte* narrow_;
  std::int64_t first_wide_ = 0, wide_bytes_ = 0;
  std::unique_ptr<std::byte[]> wide_;
};

/// True if a message of the round may be received in place. In this case, the message is not blended, and the round sends
/// none of the pixels that the message overwrites.
bool lands_in_place(const exchange_schedule::round& r, std::size_t arrival);

}  // namespace osteon::compositing
