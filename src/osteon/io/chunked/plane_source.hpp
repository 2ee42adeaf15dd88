#pragma once
/// @file
/// Values computed on demand.
#include <cstdint>
#include <functional>
#include <span>

namespace osteon::io {

/// Computes the values of planes [first, first + planes) of a rank's block, counted from its lowest plane, shape (planes, y,
/// x, components). Called once for every plane, in any order.
template <class T>
using plane_source = std::function<void(std::int64_t first, std::int64_t planes, std::span<T> values)>;

}  // namespace osteon::io
