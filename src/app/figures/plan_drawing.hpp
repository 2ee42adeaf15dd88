#pragma once
/// @file
/// A picture of a plan: ranks as rows, rounds as columns, messages as lines in the colour of what they carry.
#include <osteon/plan/plan.hpp>
#include <string>

namespace osteon::app {

/// Draw a plan as SVG.
/// @param order rank at each visibility index: the rows, front first
/// @throws usage_error if there is more to draw than one could see
std::string draw_plan(const plan::plan& what, const std::vector<int>& order);

}  // namespace osteon::app
