#pragma once
/// @file
/// From control points to the table that the march looks up.
#include <osteon/base/error.hpp>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/render/scene/scene.hpp>
#include <string>

namespace osteon::render {

/// The path over which a control point's opacity is reached: a hundredth of the domain's diagonal [mm].
double reference_length(index3 domain, vector3 spacing_mm);

/// Straight colour and opacity at a value; of two points with the same value, the later one holds from there on.
std::array<float, 4> interpolate(const std::vector<control_point>& transfer, double value);

/// Sample a transfer function, with the opacity of a path of `step_mm`.
kernel::transfer_table tabulate(const std::vector<control_point>& transfer, double step_mm, double reference_mm);

/// The faults of a transfer function: empty, unordered or non-finite values, colours or opacities outside [0, 1].
void check_transfer(const std::vector<control_point>& transfer, const std::string& where, std::vector<problem>& found);

}  // namespace osteon::render
