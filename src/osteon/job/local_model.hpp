#pragma once
/// @file
/// The part of the model on a rank: the input of every physics.
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
  voxel::run_set cells;                     ///< the active voxels of where.owned
  std::vector<material_number> material;    ///< material number of each active voxel
  std::shared_ptr<const void> source_data;  ///< data of the job's model_source, for the additional results of this source
};

/// Set the voxels of a part. @pre the block of the part is set. @param image material numbers, shape of where.owned
/// @collective local
void set_voxels(local_model& part, const std::vector<material_number>& image);

/// Material numbers of all voxels of the block, 0 in empty voxels; shape of where.owned. @collective local
std::vector<material_number> image_of(const local_model& part);
/// Return the material numbers plane by plane. Borrows `part`.
io::plane_source<material_number> image_planes(const local_model& part);

/// Values per active cell, a shared list of shape (cells, components).
using cell_values = std::shared_ptr<const std::vector<float>>;
cell_values share(std::vector<float> values);

/// Planes of a cell field; NaN in empty voxels. Borrows `part`.
io::plane_source<float> cell_planes(const local_model& part, cell_values values, int components = 1);

/// Planes of a vector field. The components (z, y, x) are converted to the order of result files (x, y, z). Borrows `part`.
io::plane_source<float> vector_planes(const local_model& part, cell_values values);

/// The load axis of a job.
axis load_axis(const spec& job);

/// Length of the image box along an axis in mm, and area of the cross-section normal to the axis in mm2.
double length_mm(const voxel::model_header& header, axis along);
double cross_section_mm2(const voxel::model_header& header, axis along);

}  // namespace osteon::job
