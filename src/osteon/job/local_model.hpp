#pragma once
/// @file
/// The part of the model on a rank. Every physics has this input.
#include <memory>
#include <osteon/grid/block.hpp>
#include <osteon/io/chunked/plane_source.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/model.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::job {

struct local_model {
  grid::block where;
  voxel::model_header header;
  voxel::run_set cells;                   ///< active voxels of where.owned
  std::vector<material_number> material;  ///< material number of each active voxel
  /// data of the job's model_source; the source uses these data for its additional results
  std::shared_ptr<const void> source_data;
};

/// Set the voxels of a part. @pre the part has a block @param image material numbers, shape of where.owned
/// @collective local
void set_voxels(local_model& part, const std::vector<material_number>& image);

/// Material numbers of all voxels of the block, with the shape of where.owned. Empty voxels have the number 0. @collective
/// local
std::vector<material_number> image_of(const local_model& part);
/// Return the material numbers plane by plane. The result borrows `part`.
io::plane_source<material_number> image_planes(const local_model& part);

/// Values in each active cell, as a shared list with shape (cells, components).
using cell_values = std::shared_ptr<const std::vector<float>>;
cell_values share(std::vector<float> values);

/// Planes of a cell field. Values in empty voxels are NaN. The result borrows `part`.
io::plane_source<float> cell_planes(const local_model& part, cell_values values, int components = 1);

/// Planes of a vector field. The components (z, y, x) are reordered to (x, y, z), the order of result files. The result
/// borrows `part`.
io::plane_source<float> vector_planes(const local_model& part, cell_values values);

/// The load axis of a job.
axis load_axis(const spec& job);

/// Length in mm of the box of the image along an axis, and area in mm2 of the cross-section normal to this axis.
double length_mm(const voxel::model_header& header, axis along);
double cross_section_mm2(const voxel::model_header& header, axis along);

}  // namespace osteon::job
