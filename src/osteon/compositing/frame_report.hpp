#pragma once
#include <cstdint>

namespace osteon::compositing {

/// Times of a frame on this rank, and bytes sent.
struct frame_report {
  double blend_seconds = 0;
  double exchange_seconds = 0;  ///< sending, receiving and waiting in rounds with blends
  double collect_seconds = 0;   ///< sending, receiving and waiting in rounds that collect finished parts
  std::int64_t bytes_sent = 0;
};

}  // namespace osteon::compositing
