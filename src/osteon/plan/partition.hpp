#pragma once
/// @file
/// Partition of an object into equal spans, and intersections of two or many spans.
#include <algorithm>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::plan {

/// Division of `elements` elements among `count` owners in order. Part m is [cut(m), cut(m + 1)). Sizes of parts differ by
/// at most one element. If there are fewer elements than owners, some parts are empty.
struct partition {
  std::int64_t elements;
  std::int64_t count;

  std::int64_t cut(std::int64_t m) const { return elements / count * m + elements % count * m / count; }
  span part(std::int64_t m) const { return {cut(m), cut(m + 1)}; }
  /// Index of the part that contains an element.
  std::int64_t part_of(std::int64_t element) const {
    // Products of integers could exceed 64 bits. The index is therefore estimated in floating point with an error of at most
    // one, and then corrected.
    auto m =
        static_cast<std::int64_t>(static_cast<double>(element) / static_cast<double>(elements) * static_cast<double>(count));
    m = std::clamp<std::int64_t>(m, 0, count - 1);
    while (cut(m) > element) --m;
    while (m + 1 < count && cut(m + 1) <= element) ++m;
    return m;
  }
};

inline bool intersect(span a, span b) { return a.begin < b.end && b.begin < a.end; }
inline span overlap(span a, span b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

/// Merge spans into the minimum number of ordered, non-empty spans. The result covers the same elements.
inline std::vector<span> joined(std::vector<span> spans) {
  std::erase_if(spans, [](span s) { return s.size() <= 0; });
  std::sort(spans.begin(), spans.end(), [](span a, span b) { return a.begin < b.begin; });
  std::vector<span> result;
  for (const span s : spans)
    if (!result.empty() && s.begin <= result.back().end)
      result.back().end = std::max(result.back().end, s.end);
    else
      result.push_back(s);
  return result;
}

}  // namespace osteon::plan
