#pragma once
/// @file
/// Release of memory.
#include <vector>

namespace osteon {

/// Empty a vector, and free the memory of the vector. `clear` and `v = {}` do not free the memory.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace osteon
