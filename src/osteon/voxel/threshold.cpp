#include <osteon/voxel/segment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon::voxel {

double otsu_threshold(const image_planes& scan, grey_range range) {
  if (range.low == range.high)
    throw data_error(
        fmt::format("every voxel has the grey value {}: there is nothing to separate; is this the right image?", range.low));
  const bool exact = scan.type != scalar::f4 && scan.type != scalar::f8 && range.high - range.low < 65536;
  const auto bins = exact ? static_cast<std::size_t>(range.high - range.low) + 1 : std::size_t{65536};
  const double width = exact ? 1 : (range.high - range.low) / static_cast<double>(bins);
  std::vector<std::int64_t> histogram(bins, 0);
  for_each_block(scan, [&](std::int64_t, auto values) {
    const auto* data = values.data_handle();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      const auto bin = static_cast<std::size_t>((static_cast<double>(data[i]) - range.low) / width);
      ++histogram[std::min(bin, bins - 1)];
    }
  });

  double total = 0, moment = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    total += static_cast<double>(histogram[b]);
    moment += static_cast<double>(histogram[b]) * static_cast<double>(b);
  }
  double below = 0, moment_below = 0, best = -1;
  std::size_t chosen = 0;
  for (std::size_t b = 0; b + 1 < bins; ++b) {
    below += static_cast<double>(histogram[b]);
    moment_below += static_cast<double>(histogram[b]) * static_cast<double>(b);
    if (below == 0 || below == total) continue;
    const double difference = moment_below / below - (moment - moment_below) / (total - below);
    const double variance = below * (total - below) * difference * difference;
    if (variance > best) {
      best = variance;
      chosen = b;
    }
  }
  // The last value of the lower class: an exact grey value for integers, the upper edge of its bin for others.
  return exact ? range.low + static_cast<double>(chosen) : range.low + width * static_cast<double>(chosen + 1);
}

}  // namespace osteon::voxel
