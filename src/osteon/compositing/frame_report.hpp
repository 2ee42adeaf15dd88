#pragma once
#include <cstdint>

namespace osteon::compositing {

/// Durations of the steps of a frame on this rank, and number of sent bytes.
struct frame_report {
  double blend_seconds = 0;
  double exchange_seconds = 0;  ///< time to send, receive and wait in rounds with blends
  double collect_seconds = 0;   ///< time to send, receive and wait in rounds that collect finished parts
  std::int64_t bytes_sent = 0;
};

}  // namespace osteon::compositing
