#pragma once
#include <cstdint>

namespace osteon::compositing {

/// Where the time of a frame went on this rank, and what it sent.
struct frame_report {
  double blend_seconds = 0;
  double exchange_seconds = 0;  ///< sending, receiving and waiting, while anything remains to be blended
  double collect_seconds = 0;   ///< the same for finished parts on their way to the root
  std::int64_t bytes_sent = 0;
};

}  // namespace osteon::compositing
