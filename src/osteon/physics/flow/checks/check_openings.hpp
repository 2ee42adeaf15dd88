#pragma once
/// @file
/// What is wrong with the conditions of a flow between openings, as far as it can be said without the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check the [[boundary]] tables and keys of the test flow.
void check_openings(const spec& job, std::vector<problem>& problems);

/// Whether something but heat makes the fluid move: a velocity, a flow rate, a drop of pressure or a wall that slides.
bool conditions_drive(const spec& job);

}  // namespace osteon::physics
