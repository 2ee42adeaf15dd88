#pragma once
/// @file
/// What is wrong with the loads of a job, as far as it can be said without the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Check [load], [[set]], [[support]], [[force]] and [[case]] of an elasticity job.
std::vector<problem> check_loads(const spec& job);

/// The test of [load] or of a case: what is written, or what it is if left out. @param supports that act in it
std::string test_of(const load_spec& load, const std::vector<support_spec>& supports);

/// Whether an elasticity job asks for the stiffness of a block of material instead of a test of a specimen.
bool is_homogenisation(const spec& job);

}  // namespace osteon::physics
