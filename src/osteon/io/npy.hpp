#pragma once
/// @file
/// NumPy .npy files (3-D, C order, little-endian), the format of images from Python.
#include <osteon/voxel/image_planes.hpp>
#include <string>

namespace osteon::io {

/// Read the header of a file of format version 1.0 to 3.0. The file remains open during the lifetime of the result.
/// @throws data_error if the file is unreadable, damaged, not 3-D, in Fortran order, or of an unsupported type
voxel::image_planes open_npy(const std::string& path);

/// Read a complete file. @throws data_error as open_npy()
voxel::image read_npy(const std::string& path);

/// Write a file of version 1.0. The file has a temporary name until it is complete.
/// @throws machine_error if the file cannot be written; usage_error if the number of bytes does not match the shape
void write_npy(const std::string& path, const voxel::image& array);

}  // namespace osteon::io
