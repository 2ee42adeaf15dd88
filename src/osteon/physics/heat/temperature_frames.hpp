#pragma once
/// @file
/// Pictures of the temperatures during the solve.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Displays the temperatures of cells between the extremes of all states so far, so that colours are comparable within a
/// film. States of nodes are not displayed: they do not contain the stress of a warm body. Borrows `part`.
/// @param zero_K reference of the solver's temperatures; empty: unknown until the end
std::unique_ptr<frame_painter> paint_temperatures(const local_model& part, std::optional<double> zero_K);

}  // namespace osteon::physics
