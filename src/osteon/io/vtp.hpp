#pragma once
/// @file
/// Lines as VTK XML PolyData (.vtp) for ParaView.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace osteon::io {

struct polylines {
  std::vector<std::array<double, 3>> points;                        ///< x, y, z of the points of all lines
  std::vector<std::int64_t> first;                                  ///< first point of each line, then the number of points
  std::vector<std::pair<std::string, std::vector<double>>> values;  ///< name and values of each array, one value per point
};

/// Write lines in double precision as raw appended data. The file has a temporary name until the file is complete.
/// @throws usage_error if the sizes of arrays do not match, machine_error if the file cannot be written @collective local
void write_vtp(const std::string& path, const polylines& lines);

}  // namespace osteon::io
