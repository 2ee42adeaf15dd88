#pragma once
/// @file
/// The pixels of a rank that take part in a compositing plan.
#include <memory>
#include <osteon/compositing/exchange_schedule.hpp>

namespace osteon::compositing {

/// As they came and will be (narrow), and half blended (wide).
class exchange_pixels {
 public:
  /// @param narrow shape (elements), is used until the object goes
  exchange_pixels(const exchange_schedule& schedule, const exchange_object& object, std::int64_t elements,
                  std::byte* narrow);
  kernel::pixel_format format(bool wide) const { return wide ? kernel::wider(format_) : format_; }
  /// A pixel's place. Only what the schedule makes wide has a wide place.
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

/// Whether a message of the round may be written where it belongs at once: it is not blended, and nothing there is sent.
bool lands_in_place(const exchange_schedule::round& r, std::size_t arrival);

}  // namespace osteon::compositing
