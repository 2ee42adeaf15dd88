#pragma once
#include <numeric>
#include <vector>

namespace osteon::comm {

/// Where each rank's part begins in a buffer with `counts` elements of the ranks, one after another: what MPI's gather and
/// scatter with counts call displacements.
inline std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  return begins;
}

}  // namespace osteon::comm
