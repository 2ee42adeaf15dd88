#pragma once
/// @file
/// A number, and a noun in singular or plural.
#include <cstdint>
#include <string>
#include <string_view>

namespace osteon {

/// Format as "1 voxel" or "2 voxels".
inline std::string counted(std::int64_t number, std::string_view noun) {
  return std::to_string(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

}  // namespace osteon
