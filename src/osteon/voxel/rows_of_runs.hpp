#pragma once
/// @file
/// Adjacent rows of runs.
#include <osteon/voxel/run_set.hpp>
#include <span>

namespace osteon::voxel {

/// Call `meet(p, q)` for each pair of runs `p` of `a` and `q` of `b` that overlap in x after extension by `reach`. With a
/// reach of 0, voxels of a pair have a common face; with a reach of 1, they may have a common edge or corner only.
/// @cost one sweep over both rows, which are sorted by x
template <class Meet>
void for_each_meeting(std::span<const run> a, std::span<const run> b, std::int32_t reach, Meet meet) {
  for (auto p = a.begin(), q = b.begin(); p != a.end() && q != b.end();) {
    const std::int32_t end_p = p->x + p->length, end_q = q->x + q->length;
    if (p->x < end_q + reach && q->x < end_p + reach) meet(*p, *q);
    if (end_p <= end_q)
      ++p;
    else
      ++q;
  }
}

}  // namespace osteon::voxel
