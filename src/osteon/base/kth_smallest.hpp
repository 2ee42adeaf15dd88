#pragma once
/// @file
/// Order statistics of the values of one process. The functions of comm/percentile.hpp compute percentiles of values on all
/// ranks.
#include <algorithm>
#include <cstddef>
#include <vector>

namespace osteon {

/// The k-th smallest value. Indices start at 0, and k = size() / 2 yields the upper median. @cost linear
template <class T>
T kth_smallest(std::vector<T> values, std::size_t k) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace osteon
