#pragma once
/// @file
/// Checks of the [[probe]] tables of a job. The checks do not need the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check the probes of a flow between openings. @param has_temperature value of flow.heat
void check_probes(const spec& job, bool has_temperature, std::vector<problem>& problems);

}  // namespace osteon::physics
