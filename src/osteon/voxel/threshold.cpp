#include <osteon/voxel/segment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon::voxel {

namespace {

struct grey_histogram {
  std::vector<std::int64_t> counts;
  double low = 0, width = 1;
  bool exact = false;  // each bin is one integer grey value

  // Largest grey value of a bin. Used as threshold, this value selects the bins above.
  double end(std::size_t bin) const {
    return exact ? low + static_cast<double>(bin) : low + width * static_cast<double>(bin + 1);
  }
  double middle(std::size_t bin) const {
    return exact ? low + static_cast<double>(bin) : low + width * (static_cast<double>(bin) + 0.5);
  }
};

grey_histogram histogram_of(const image_planes& scan, grey_range range, const grey_counts& counts) {
  if (range.low == range.high)
    throw data_error(
        fmt::format("all voxels have the grey value {}, so that no threshold exists; check the image", range.low));
  grey_histogram found;
  found.exact = scan.type != scalar::f4 && scan.type != scalar::f8 && range.high - range.low < 65536;
  const auto bins = found.exact ? static_cast<std::size_t>(range.high - range.low) + 1 : std::size_t{65536};
  found.low = range.low;
  found.width = found.exact ? 1 : (range.high - range.low) / static_cast<double>(bins);
  if (found.exact && !counts.empty()) {
    const bool is_signed = scan.type == scalar::i1 || scan.type == scalar::i2;
    const std::int64_t lowest = is_signed ? -std::ssize(counts) / 2 : 0;
    const auto first = counts.begin() + static_cast<std::int64_t>(range.low) - lowest;
    found.counts.assign(first, first + static_cast<std::ptrdiff_t>(bins));
    return found;
  }
  found.counts.resize(bins);
  for_each_block(scan, [&](std::int64_t, auto values) {
    const auto* data = values.data_handle();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      const auto bin = static_cast<std::size_t>((static_cast<double>(data[i]) - range.low) / found.width);
      ++found.counts[std::min(bin, bins - 1)];
    }
  });
  return found;
}

}  // namespace

double otsu_threshold(const image_planes& scan, grey_range range, const grey_counts& counts) {
  const grey_histogram found = histogram_of(scan, range, counts);
  const std::vector<std::int64_t>& histogram = found.counts;
  const std::size_t bins = histogram.size();

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
  return found.end(chosen);  // largest grey value of the lower class
}

double volume_threshold(const image_planes& scan, grey_range range, phase_greys greys, const grey_counts& counts) {
  const grey_histogram found = histogram_of(scan, range, counts);
  double all = 0, solid = 0;
  for (std::size_t b = 0; b < found.counts.size(); ++b) {
    const auto voxels = static_cast<double>(found.counts[b]);
    all += voxels;
    solid += voxels * std::clamp((found.middle(b) - greys.empty) / (greys.solid - greys.empty), -1.0, 2.0);
  }
  if (solid <= 0 || solid >= all)
    throw data_error(fmt::format(
        "segment.greys = [{:g}, {:g}]: the solid fraction would be {:.2f}, but must be between 0 and 1; the grey "
        "values of the image are in [{:g}, {:g}]: pass the grey values of its two phases",
        greys.empty, greys.solid, solid / all, range.low, range.high));
  std::size_t bin = found.counts.size() - 1;  // the last bin that is not solid
  double above = 0;
  while (bin > 0 && above + static_cast<double>(found.counts[bin]) / 2 < solid)
    above += static_cast<double>(found.counts[bin--]);
  return found.end(bin);
}

}  // namespace osteon::voxel
