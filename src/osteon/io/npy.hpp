#pragma once
/// @file
/// NumPy's .npy files: 3-D, C order, little-endian numbers; how images come from Python.
#include <osteon/voxel/image.hpp>
#include <string>

namespace osteon::io {

/// Read versions 1.0 to 3.0 of the format.
/// @throws data_error if the file is unreadable, damaged, not 3-D, in Fortran order, or of another type
voxel::image read_npy(const std::string& path);

/// Write version 1.0 under a temporary name and rename it when it is complete.
/// @throws machine_error if the file cannot be written; usage_error if bytes and shape do not fit
void write_npy(const std::string& path, const voxel::image& array);

}  // namespace osteon::io
