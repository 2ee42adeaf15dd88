#pragma once
/// @file
/// Constraints and forces on single nodes in a model file (internal to io; docs/reference/format.md); serial.
#include <osteon/voxel/model.hpp>

namespace osteon::io {

class model_reader;

/// Define the variables of the conditions in the group /model, if the model has conditions.
void define_conditions(int model_group, const voxel::model_header& header);
/// Write the conditions. @pre the file is not in define mode
void write_conditions(int model_group, const voxel::model_header& header);
/// Size of the conditions in the file in bytes.
std::int64_t bytes_of_conditions(const voxel::model_header& header);
/// Read the conditions. The result is empty if the group has no conditions.
/// @throws data_error if a node is outside of a grid of `shape`, or a force is not finite
std::vector<voxel::node_condition> read_conditions(const model_reader& file, int model_group, index3 shape);

}  // namespace osteon::io
