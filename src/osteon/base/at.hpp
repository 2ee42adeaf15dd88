#pragma once
#include <concepts>
#include <cstddef>

namespace osteon {

/// A number that is known not to be negative, as the position in an array that it is.
constexpr std::size_t at(std::integral auto i) { return static_cast<std::size_t>(i); }

}  // namespace osteon
