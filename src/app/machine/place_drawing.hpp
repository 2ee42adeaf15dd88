#pragma once
/// @file
/// A picture of a placement: before on the left, after on the right.
#include <app/machine/place_graph.hpp>
#include <osteon/placement/place.hpp>
#include <string>

namespace osteon::app {

/// Draw as SVG: of a grid, its slices with a colour for each host; of another graph, what hosts send to each other.
/// @throws usage_error if there is more to draw than one could see
std::string draw_placement(const placed_graph& source, const placement::target& where, const placement::placement& found);

}  // namespace osteon::app
