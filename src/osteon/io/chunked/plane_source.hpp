#pragma once
/// @file
/// Values that are made when they are due.
#include <cstdint>
#include <functional>
#include <span>

namespace osteon::io {

/// Makes the values of planes [first, first + planes) of a rank's block, counted from its lowest, shape (planes, y, x,
/// components). Called for every plane once, in any order.
template <class T>
using plane_source = std::function<void(std::int64_t first, std::int64_t planes, std::span<T> values)>;

}  // namespace osteon::io
