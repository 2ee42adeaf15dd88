#include <algorithm>
#include <osteon/comm/composite/sparse_runs.hpp>

namespace osteon::comm {

namespace {

constexpr std::int64_t shortest_gap = 4;  // the header of a run has the size of two pixels

}  // namespace

std::vector<plan::span> rows_of(const pixel_rectangle& active, int width) {
  std::vector<plan::span> rows;
  for (int row = active.top; row < active.bottom; ++row) {
    const plan::span s{std::int64_t{row} * width + active.left, std::int64_t{row} * width + active.right};
    if (!rows.empty() && rows.back().end == s.begin)
      rows.back().end = s.end;
    else
      rows.push_back(s);
  }
  return rows;
}

std::vector<plan::span> active_runs(kernel::pixel_format format, const std::byte* image, std::vector<plan::span> spans) {
  const auto bytes = static_cast<std::int64_t>(format.bytes());
  if (format.depth) return spans;  // in formats with depth, empty pixels are also blended
  const auto is_empty = [&](std::int64_t pixel) { return kernel::is_empty(format, image + pixel * bytes); };
  std::int64_t all = 0;
  for (const plan::span& s : spans) all += s.size();
  // The sample has a thousand pixels. With an odd stride, the sampled pixels are in different columns.
  const std::int64_t stride = std::max<std::int64_t>(1, all / 1000 | 1);
  std::int64_t seen = 0, filled = 0, skip = 0;
  for (const plan::span& s : spans) {
    std::int64_t at = s.begin + skip;
    for (; at < s.end; at += stride, ++seen) filled += !is_empty(at);
    skip = at - s.end;
  }
  if (5 * filled >= 3 * seen) return spans;
  std::vector<plan::span> runs;
  for (const plan::span& s : spans)
    for (std::int64_t at = s.begin; at < s.end; ++at) {
      if (is_empty(at)) continue;
      if (!runs.empty() && runs.back().end >= s.begin && at - runs.back().end < shortest_gap)
        runs.back().end = at + 1;
      else
        runs.push_back({at, at + 1});
    }
  return runs;
}

}  // namespace osteon::comm
