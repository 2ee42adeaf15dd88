#pragma once
/// @file
/// Parts that are too full, mended.
#include <osteon/placement/graph.hpp>
#include <span>
#include <vector>

namespace osteon::placement {

/// Move vertices from parts that are too full to parts with free places, each time the one whose move costs least.
/// @return number of moves @cost O(moves (vertices log(parts) + edges)) at worst
int fit_capacity(const graph& g, std::span<const int> capacity, std::vector<int>& part);

}  // namespace osteon::placement
