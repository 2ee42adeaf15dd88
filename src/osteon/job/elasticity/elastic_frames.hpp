#pragma once
/// @file
/// Pictures of the displacements while they are computed.
#include <osteon/job/physics.hpp>

namespace osteon::job {

/// Shows the field that the job's picture shows. Borrows both. @collective on part.where.comm
std::unique_ptr<frame_painter> paint_displacements(const spec& job, const local_model& part);

}  // namespace osteon::job
