#pragma once
/// @file
/// Checks of the loads of a job that do not need the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check [load], [[set]], [[support]], [[force]] and [[case]] of a job; append the faults.
void check_loads(const spec& job, std::vector<problem>& problems);

/// Check that output.fields has no duplicates; append the faults.
void check_field_names(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
