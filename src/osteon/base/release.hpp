#pragma once
/// @file
/// Release of memory.
#include <vector>

namespace osteon {

/// Empty a vector and free its memory; `clear` and `v = {}` keep the memory.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace osteon
