#pragma once
/// @file
/// Traffic matrix of a plan.
#include <app/figures/svg.hpp>
#include <osteon/plan/plan.hpp>

namespace osteon::app {

/// Draw squares for senders (rows) and receivers (columns), darker for more bytes in all rounds. With many ranks, a square
/// represents several ranks.
/// @param corner upper left corner @param side side length in pixels
void draw_plan_map(svg_picture& out, point corner, double side, const plan::plan& plan);

}  // namespace osteon::app
