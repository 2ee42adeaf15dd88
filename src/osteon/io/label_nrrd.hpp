#pragma once
/// @file
/// Label volumes as NRRD, which image programs open as label maps.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/base/box.hpp>
#include <span>
#include <string>

namespace osteon::io {

/// Labelled run of voxels along x, in image coordinates.
struct label_run {
  std::int32_t z = 0, y = 0, x = 0, length = 0, number = 0;
};

struct label_volume {
  index3 shape;                                   ///< z, y, x
  vector3 spacing_mm;                             ///< z, y, x
  vector3 origin_mm;                              ///< position of the low corner, z, y, x
  std::optional<std::array<double, 9>> axes_lps;  ///< rows of the rotation whose columns are the x, y and z axis in LPS
};

/// Write labels up to 255 for the runs and 0 elsewhere, compressed by gzip, under a temporary name that is changed when the
/// file is complete.
/// @param runs in any order; in overlaps the last run takes precedence @cost the runs in memory, and one plane
/// @throws usage_error if a run exceeds the volume or its label exceeds 255, machine_error if the file cannot be written
/// @collective local
void write_labels(const std::string& path, const label_volume& volume, std::span<const label_run> runs);

}  // namespace osteon::io
