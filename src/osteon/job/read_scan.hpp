#pragma once
/// @file
/// Images as users have them.
#include <nlohmann/json.hpp>
#include <osteon/voxel/image.hpp>
#include <string>

namespace osteon::job {

/// An image and what its file says about it.
struct scan {
  voxel::image image;
  nlohmann::ordered_json facts;  ///< format, spacing_mm, origin_mm, sha256
};

/// Read an image file or folder by the Python readers.
/// @throws data_error if it is no image that they know, machine_error if they cannot be run @collective local
scan read_scan(const std::string& path);

}  // namespace osteon::job
