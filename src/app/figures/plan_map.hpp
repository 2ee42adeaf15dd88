#pragma once
/// @file
/// A plan as a map: who sends how much to whom.
#include <app/figures/svg.hpp>
#include <osteon/plan/plan.hpp>

namespace osteon::app {

/// Squares of senders (rows) and receivers (columns), the darker the more bytes in all rounds; of many ranks a square stands
/// for several.
/// @param corner upper left @param side in pixels
void draw_plan_map(svg_picture& out, point corner, double side, const plan::plan& what);

}  // namespace osteon::app
