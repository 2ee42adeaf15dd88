#pragma once
/// @file
/// Release of memory.
#include <vector>

namespace osteon {

/// Empty a vector and free its memory, which neither `clear` nor `v = {}` does.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace osteon
