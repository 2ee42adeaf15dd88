#pragma once
/// @file
/// Transfer functions: from control points to the table of the ray march.
#include <osteon/base/error.hpp>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/render/scene/scene.hpp>
#include <string>

namespace osteon::render {

/// Path length to which the opacity of a control point refers: a hundredth of the diagonal of the domain [mm].
double reference_length(index3 domain, vector3 spacing_mm);

/// Interpolate straight colour and opacity at a value. Two points with the same value define a jump; the later one applies
/// at this value.
std::array<float, 4> interpolate(const std::vector<control_point>& transfer, double value);

/// Tabulate a transfer function with the opacity of a path of length `step_mm`.
kernel::transfer_table tabulate(const std::vector<control_point>& transfer, double step_mm, double reference_mm);

/// Report faults of a transfer function: empty, unordered or non-finite values, colours or opacities outside [0, 1].
void check_transfer(const std::vector<control_point>& transfer, const std::string& where, std::vector<problem>& found);

}  // namespace osteon::render
