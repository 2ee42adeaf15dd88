#pragma once
/// @file
/// Holds and forces on single nodes in a model file (internal to io; docs/reference/format.md). Serial.
#include <osteon/voxel/model.hpp>

namespace osteon::io {

/// Define the variables of the conditions in the group /model, if there are any.
void define_conditions(int model_group, const voxel::model_header& header);
/// Write them. The file is out of define mode.
void write_conditions(int model_group, const voxel::model_header& header);
/// Bytes that they take in the file.
std::int64_t bytes_of_conditions(const voxel::model_header& header);
/// Read them; none if the group has none.
/// @throws data_error if a node is outside of a grid of `shape`, or a force is not finite
std::vector<voxel::node_condition> read_conditions(int model_group, index3 shape, const std::string& path);

}  // namespace osteon::io
