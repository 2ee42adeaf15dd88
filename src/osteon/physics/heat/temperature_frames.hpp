#pragma once
/// @file
/// Pictures of the temperature during the solution.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Create a painter that displays the temperatures of cells. The colour range contains the temperatures of all states up to
/// the present state. States with nodal values are skipped. Such states are displacements, and displacements alone do not
/// determine the thermal stress. The result borrows `part`.
/// @param zero_K reference temperature of the solver; empty: the reference is unknown until the end
std::unique_ptr<frame_painter> paint_temperatures(const local_model& part, std::optional<double> zero_K);

}  // namespace osteon::physics
