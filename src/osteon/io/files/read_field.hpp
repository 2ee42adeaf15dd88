#pragma once
/// @file
/// Fields of results and models, read a box at a time (docs/format.md).
#include <osteon/base/box.hpp>
#include <osteon/io/files/result_file.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Contents of a results or model file.
struct field_list {
  index3 shape;  ///< voxels
  vector3 spacing_mm;
  std::string title;               ///< empty if the file has none
  std::vector<field_info> fields;  ///< material is one of them
};

/// Its bytes are not checked: call check_whole() first.
/// @throws data_error if the file is none of osteon's @collective local
field_list list_fields(const std::string& path);

/// One number for each voxel of a box: a component, or the magnitude of a vector. A node field is the mean of the voxel's
/// eight nodes. NaN where there is none; the material number 0 counts as none.
/// @param component from 0, or -1: magnitude; of six components (a symmetric tensor) its Frobenius norm
/// @return shape of `part` @throws data_error if the file is damaged @collective local
std::vector<float> read_field(const std::string& path, const field_info& field, const box3& part, int component = -1);

}  // namespace osteon::io
