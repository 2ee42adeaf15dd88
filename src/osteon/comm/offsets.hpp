#pragma once
#include <numeric>
#include <vector>

namespace osteon::comm {

/// Displacements for MPI_Gatherv and MPI_Scatterv. Displacement r is the offset of rank r's part in a contiguous buffer.
inline std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  return begins;
}

}  // namespace osteon::comm
