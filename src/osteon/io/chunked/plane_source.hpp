#pragma once
/// @file
/// Values computed on demand.
#include <cstdint>
#include <functional>
#include <span>

namespace osteon::io {

/// Function that computes the values of planes [first, first + planes) of the block of a rank. Planes are counted from the
/// lowest plane of the block. The values have the shape (planes, y, x, components). Every plane is computed exactly once, in
/// any order.
template <class T>
using plane_source = std::function<void(std::int64_t first, std::int64_t planes, std::span<T> values)>;

}  // namespace osteon::io
