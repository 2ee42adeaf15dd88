#pragma once
/// @file
/// Transfer functions: interpolation, tabulation, and checks of control points.
#include <osteon/base/error.hpp>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/render/scene/scene.hpp>
#include <string>

namespace osteon::render {

/// Path length [mm] to which the opacity of a control point applies. The length is 1/100 of the diagonal of the domain.
double reference_length(index3 domain, vector3 spacing_mm);

/// Interpolate colour (not premultiplied) and opacity at a value. Two control points with equal values define a jump. At
/// this value, the second control point applies.
std::array<float, 4> interpolate(const std::vector<control_point>& transfer, double value);

/// Tabulate a transfer function. The opacities are converted to a path of length `step_mm`.
kernel::transfer_table tabulate(const std::vector<control_point>& transfer, double step_mm, double reference_mm);

/// Add the problems of a transfer function to `found`. Problems are a function without points, unordered or non-finite
/// values, and colours or opacities outside of [0, 1].
void check_transfer(const std::vector<control_point>& transfer, const std::string& where, std::vector<problem>& found);

}  // namespace osteon::render
