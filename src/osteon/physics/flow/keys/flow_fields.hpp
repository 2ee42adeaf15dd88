#pragma once
/// @file
/// Fields and picture of a flow job.
#include <optional>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Add velocity, speed and pressure of the fluid to the fields of the result. The picture displays the speed.
/// @param fluid voxels with values; other active voxels have no values
/// @param velocity_mm_per_s shape (cells, 3) @param straight axis for the tortuosity of the paths
/// @collective on part.where.comm
void show_flow(physics_result& result, const spec& job, const local_model& part, const voxel::run_set& fluid,
               std::vector<float> velocity_mm_per_s, std::vector<float> pressure_Pa, std::optional<axis> straight);

/// Names of the fields of a flow. The last field exists only for flow between openings.
std::vector<io::field_info> flow_field_infos();
io::field_info wall_shear_info();
/// The field that the picture of a result displays.
struct shown_field {
  cell_values values;
  std::string name, title, units;
  double low = 0, high = 1;
  bool lines_show_field = false;
};
shown_field shown_of(const physics_result& result);
void show(physics_result& result, const shown_field& field);

/// Extend values in the fluid to all active voxels. Outside of the fluid, the value is NaN. @collective local
cell_values spread_over(const local_model& part, const voxel::run_set& fluid, std::vector<float> values,
                        std::int64_t components);

}  // namespace osteon::physics
