#pragma once
/// @file
/// What is wrong with a heat job, as far as it can be said without the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The heat problem of a heat job: the test of [load], or what its tables amount to.
std::string heat_test(const spec& job);

/// What a [[boundary]] of a heat job does.
inline condition_kind kind_of(const boundary_spec& b) { return b.kind.value_or(condition_kind::temperature); }

/// Check the test of a heat job, its conditions, materials, steps in time and output.
void check_heat(const spec& job, std::vector<problem>& problems);

/// Refuse the keys that only a heat job has in a job of another physics.
void refuse_heat(const spec& job, std::vector<problem>& problems);

/// Temperatures below absolute zero. @param size_mm of the image; none of them depends on it
void warn_of_temperatures(const spec& job, const vector3* size_mm, std::vector<problem>& warnings);

}  // namespace osteon::physics
