#pragma once
/// @file
/// Pictures of the temperature during the solution.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Create a painter of cell temperatures. The colour range spans all states up to the present state. States with nodal
/// values are skipped, because displacements alone do not determine the thermal stress. Borrows `part`.
/// @param zero_K reference of the solver's temperatures; empty: unknown until the end
std::unique_ptr<frame_painter> paint_temperatures(const local_model& part, std::optional<double> zero_K);

}  // namespace osteon::physics
