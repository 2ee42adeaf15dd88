#pragma once
/// @file
/// Checks of the [[probe]] tables of a job that do not need its image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check the probes of a flow between openings. @param has_temperature flow.heat
void check_probes(const spec& job, bool has_temperature, std::vector<problem>& problems);

}  // namespace osteon::physics
