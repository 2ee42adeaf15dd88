#pragma once
/// @file
/// Fields and picture of a flow job.
#include <optional>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Velocity, speed and pressure of the fluid as fields, the speed as picture.
/// @param fluid the voxels that the values belong to; others that are active get none
/// @param velocity_mm_per_s shape (cells, 3) @param straight axis of which the tortuosity of the paths becomes an answer
/// @collective on part.where.comm
void show_flow(physics_result& result, const spec& job, const local_model& part, const voxel::run_set& fluid,
               std::vector<float> velocity_mm_per_s, std::vector<float> pressure_Pa, std::optional<axis> straight);

/// What these fields are called. The last is of flow between openings only.
std::vector<io::field_info> flow_field_infos();
io::field_info wall_shear_info();
/// What a result's picture shows.
struct shown_field {
  cell_values values;
  std::string name, title, units;
  double low = 0, high = 1;
  bool lines_show_field = false;
};
shown_field shown_of(const physics_result& result);
void show(physics_result& result, const shown_field& what);

/// Values of all active voxels from those of the fluid; NaN elsewhere. @collective local
cell_values spread_over(const local_model& part, const voxel::run_set& fluid, std::vector<float> values,
                        std::int64_t components);

}  // namespace osteon::physics
