#pragma once
/// @file
/// Warnings of unusual mechanical loads and elastic constants: strains and angles beyond linear elasticity, ratios at which
/// voxels lock.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// @param size_mm of the image, for displacements as strains; null: all warnings that do not depend on it
void warn_of_loads(const spec& job, const vector3* size_mm, std::vector<problem>& warnings);

}  // namespace osteon::physics
