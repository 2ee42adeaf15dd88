#pragma once
/// @file
/// What is wrong with the loads of a job, as far as it can be said without the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check [load], [[set]], [[support]], [[force]] and [[case]] of an elasticity job; append the faults.
void check_loads(const spec& job, std::vector<problem>& problems);

/// Check that no field of output.fields is named twice; append the faults.
void check_field_names(const spec& job, std::vector<problem>& problems);

}  // namespace osteon::physics
