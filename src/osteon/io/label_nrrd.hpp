#pragma once
/// @file
/// Label volumes in NRRD format, for image programs that open label maps.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/base/box.hpp>
#include <span>
#include <string>

namespace osteon::io {

/// Run of labelled voxels along x, in image coordinates.
struct label_run {
  std::int32_t z = 0, y = 0, x = 0, length = 0, number = 0;
};

struct label_volume {
  index3 shape;                                   ///< z, y, x
  vector3 spacing_mm;                             ///< z, y, x
  vector3 origin_mm;                              ///< position of the low corner, z, y, x
  std::optional<std::array<double, 9>> axes_lps;  ///< rows of the rotation whose columns are the x, y and z axis in LPS
};

/// Write a label volume compressed by gzip. The voxels of the runs have labels from 1 to 255, and all other voxels have the
/// label 0. The file has a temporary name until the file is complete.
/// @param runs in any order; where runs overlap, the label of the last run is used @cost memory for the runs and one plane
/// @throws usage_error if a run exceeds the volume or its label exceeds 255, machine_error if the file cannot be written
/// @collective local
void write_labels(const std::string& path, const label_volume& volume, std::span<const label_run> runs);

}  // namespace osteon::io
