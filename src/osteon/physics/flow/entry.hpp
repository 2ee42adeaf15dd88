#pragma once
/// @file
/// The entry of physics = "flow" in the table of physics.
#include <osteon/job/answers.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

const physics_entry& flow();

std::vector<answer> flow_answers();

}  // namespace osteon::physics
