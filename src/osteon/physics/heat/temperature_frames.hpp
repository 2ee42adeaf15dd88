#pragma once
/// @file
/// Pictures of the temperatures while they are computed.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Shows the temperatures of cells, between the extremes of all states so far: colours that mean the same in a film. Of
/// states of nodes it shows nothing: the stress of a warm body is not in its state. Borrows `part`.
/// @param zero_K what the solver's temperatures are relative to; empty: that is not known before the end
std::unique_ptr<frame_painter> paint_temperatures(const local_model& part, std::optional<double> zero_K);

}  // namespace osteon::physics
