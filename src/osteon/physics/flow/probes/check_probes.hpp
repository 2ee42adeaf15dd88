#pragma once
/// @file
/// What is wrong with the [[probe]] tables of a job, without its image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Of a flow between openings. @param has_temperature flow.heat
void check_probes(const spec& job, bool has_temperature, std::vector<problem>& problems);

}  // namespace osteon::physics
