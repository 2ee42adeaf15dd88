#pragma once
/// @file
/// The pixels of a rank in a compositing plan.
#include <memory>
#include <osteon/compositing/exchange_schedule.hpp>

namespace osteon::compositing {

/// Pixels in two formats. Images and the picture have the narrow format, and intermediate results have the wide format.
class exchange_pixels {
 public:
  /// @param narrow pixels in the narrow format, shape (elements); must outlive this object
  exchange_pixels(const exchange_schedule& schedule, const exchange_object& object, std::int64_t elements,
                  std::byte* narrow);
  kernel::pixel_format format(bool wide) const { return wide ? kernel::wider(format_) : format_; }
  /// Address of a pixel. Only pixels that are wide in the schedule have memory in the wide format.
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

/// True if a message of the round may be received at its final place. The message must not be blended, and the round must
/// not send pixels that the message overwrites.
bool lands_in_place(const exchange_schedule::round& r, std::size_t arrival);

}  // namespace osteon::compositing
