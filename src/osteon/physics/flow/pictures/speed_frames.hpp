#pragma once
/// @file
/// Pictures of a flow in time while it is computed.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Shows what picture.shows says, in the colours of the speed from 0 to the highest so far. Null: the flow is steady, whose
/// solver has nothing to show on the way.
/// @param part borrowed
std::unique_ptr<frame_painter> paint_speeds(const spec& job, const local_model& part);

}  // namespace osteon::physics
