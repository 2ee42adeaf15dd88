#pragma once
#include <cstdint>

namespace osteon::compositing {

/// Durations of the steps of a frame on this rank, and number of bytes that this rank sends.
struct frame_report {
  double blend_seconds = 0;
  double exchange_seconds = 0;  ///< time of sending, receiving and waiting in rounds with blends
  double collect_seconds = 0;   ///< time of sending, receiving and waiting in rounds that collect final parts
  std::int64_t bytes_sent = 0;
};

}  // namespace osteon::compositing
