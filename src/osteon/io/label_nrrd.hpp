#pragma once
/// @file
/// A volume of small numbers as NRRD, which image programs open as a map of labels.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/base/box.hpp>
#include <span>
#include <string>

namespace osteon::io {

/// Voxels in a row along x that have a number; places in the image.
struct label_run {
  std::int32_t z = 0, y = 0, x = 0, length = 0, number = 0;
};

struct label_volume {
  index3 shape;                                   ///< z, y, x
  vector3 spacing_mm;                             ///< z, y, x
  vector3 origin_mm;                              ///< position of the low corner, z, y, x
  std::optional<std::array<double, 9>> axes_lps;  ///< rows of the rotation whose columns are the x, y and z axis in LPS
};

/// Write numbers up to 255 for the runs, 0 elsewhere, packed by gzip; under a temporary name that is changed when it is
/// whole.
/// @param runs in any order; where they overlap, the last one counts @cost the runs in memory, and one plane
/// @throws usage_error if a run leaves the volume or its number is beyond 255, machine_error if the file cannot be written
/// @collective local
void write_labels(const std::string& path, const label_volume& volume, std::span<const label_run> runs);

}  // namespace osteon::io
