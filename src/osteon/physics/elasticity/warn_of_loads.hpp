#pragma once
/// @file
/// Warnings of unusual mechanical loads and elastic constants: strains and angles beyond linear elasticity, and Poisson's
/// ratios that cause locking.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// @param size_mm size of the image, for warnings of displacements; null: all other warnings
void warn_of_loads(const spec& job, const vector3* size_mm, std::vector<problem>& warnings);

}  // namespace osteon::physics
