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
  std::vector<std::array<double, 3>> points;                        ///< x, y, z, line after line
  std::vector<std::int64_t> first;                                  ///< point of each line, and the number of all points
  std::vector<std::pair<std::string, std::vector<double>>> values;  ///< by name, one value per point
};

/// Write double precision, little endian, as raw appended data; under a temporary name that is changed when it is complete.
/// @throws usage_error if the sizes of arrays do not match, machine_error if the file cannot be written @collective local
void write_vtp(const std::string& path, const polylines& lines);

}  // namespace osteon::io
