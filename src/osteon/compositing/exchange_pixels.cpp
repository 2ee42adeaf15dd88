#include <algorithm>
#include <limits>
#include <osteon/compositing/exchange_pixels.hpp>

namespace osteon::compositing {

exchange_pixels::exchange_pixels(const exchange_schedule& schedule, const exchange_object& object, std::int64_t elements,
                                 std::byte* narrow)
    : format_(object.format), narrow_(narrow) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  if (object.starts_wide && object.has_wide()) begin = 0, end = elements;
  for (const auto& r : schedule.rounds)
    for (const auto& b : r.blends)
      if (b.wide) begin = std::min(begin, b.at.begin), end = std::max(end, b.at.end);
  if (begin >= end) return;
  first_wide_ = begin;
  wide_bytes_ = (end - begin) * static_cast<std::int64_t>(format(true).bytes());
  wide_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(wide_bytes_));
}

bool lands_in_place(const exchange_schedule::round& r, std::size_t arrival) {
  for (const auto& b : r.blends)
    for (const pixel_piece& p : b.layers)
      if (p.message == static_cast<std::int64_t>(arrival) && (b.layers.size() > 1 || b.after_sends)) return false;
  return true;
}

}  // namespace osteon::compositing
