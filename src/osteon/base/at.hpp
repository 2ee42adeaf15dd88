#pragma once
#include <concepts>
#include <cstddef>

namespace osteon {

/// Convert a non-negative index to std::size_t.
constexpr std::size_t at(std::integral auto i) { return static_cast<std::size_t>(i); }

}  // namespace osteon
