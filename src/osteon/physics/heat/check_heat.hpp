#pragma once
/// @file
/// What is wrong with a heat job, as far as it can be said without the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Tests of heat.
enum class heat_test { conduction, heat_transfer, conductivity_tensor };
inline std::span<const char* const> choice_names(heat_test) {
  static constexpr const char* names[] = {"conduction", "heat_transfer", "conductivity_tensor"};
  return names;
}

/// The test of a heat job: that of [load], or what its tables amount to.
heat_test test_of_heat(const spec& job);

/// Register the keys of heat.
void register_heat_keys(key_table& job);

/// What a [[boundary]] of a heat job does.
inline condition_kind kind_of(const boundary_spec& b) { return b.kind.value_or(condition_kind::temperature); }

/// Check the test of a heat job, its conditions, materials, steps in time and output.
void check_heat(const spec& job, std::vector<problem>& problems);

/// Temperatures below absolute zero. @param size_mm of the image; none of them depends on it
void warn_of_temperatures(const spec& job, const vector3* size_mm, std::vector<problem>& warnings);
/// A temperature of a key below absolute zero.
void warn_of_kelvin(const std::optional<double>& kelvin, const std::string& where, std::vector<problem>& warnings);

}  // namespace osteon::physics
