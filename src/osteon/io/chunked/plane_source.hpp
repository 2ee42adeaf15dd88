#pragma once
/// @file
/// Values computed on demand.
#include <cstdint>
#include <functional>
#include <span>

namespace osteon::io {

/// Function that computes the values of planes [first, first + planes) of the block of a rank, counted from the lowest plane
/// of the block; shape (planes, y, x, components). Called once for every plane, in any order.
template <class T>
using plane_source = std::function<void(std::int64_t first, std::int64_t planes, std::span<T> values)>;

}  // namespace osteon::io
