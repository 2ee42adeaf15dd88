#pragma once
/// @file
/// Conversion of a heat job to the problem of the solver (units mm, W, K). The file also defines the fields of the results.
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/heat/solver/heat_transient.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// @param test conduction prescribes temperatures on the two faces of the load axis; heat_transfer uses the conditions of
/// [[boundary]]
/// @collective local
numerics::heat_problem make_heat_problem(const spec& job, const local_model& part, heat_test test);

/// @collective local
time_plan make_time_plan(const spec& job, const local_model& part);

/// Fields of a results file: the temperature, and the magnitude of the heat flux density.
/// @param temperature_K temperature of each active cell @param heat_flux heat flux density of each active cell [W/mm2]
std::vector<result_field> heat_fields(const local_model& part, cell_values temperature_K, cell_values heat_flux);
/// Field of the vectors (z, y, x) of the heat flux density. The job writes this field if the picture contains streamlines.
result_field heat_flux_field(const local_model& part, cell_values vectors);
inline bool has_heat_lines(const spec& job) { return job.picture.streamlines.value_or(0) > 0; }

}  // namespace osteon::physics
