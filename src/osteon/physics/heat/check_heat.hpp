#pragma once
/// @file
/// Checks of a heat job. The checks do not need the image.
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Values of load.test for physics = "heat".
enum class heat_test { conduction, heat_transfer, conductivity_tensor };
inline auto choice_names(heat_test) { return choices<"conduction", "heat_transfer", "conductivity_tensor">(); }

/// Return the test of a heat job. The test is the value of load.test, or the default for the tables of the job.
heat_test test_of_heat(const spec& job);

/// Register the keys of heat.
void register_heat_keys(key_table& job);

/// The boundary condition of a [[boundary]] of a heat job.
inline condition_kind kind_of(const boundary_spec& b) { return b.kind.value_or(condition_kind::temperature); }

/// Check the test of a heat job, its conditions, materials, time steps and output.
void check_heat(const spec& job, std::vector<problem>& problems);

/// Warn of temperatures below absolute zero. @param size_mm size of the image; only if size_mm is null, the function adds
/// the warnings
void warn_of_temperatures(const spec& job, const vector3* size_mm, std::vector<problem>& warnings);
/// Warn if the temperature in a key is below absolute zero.
void warn_of_kelvin(const std::optional<double>& kelvin, const std::string& where, std::vector<problem>& warnings);

}  // namespace osteon::physics
