#pragma once
/// @file
/// A number with its noun, in the singular or plural.
#include <cstdint>
#include <string>
#include <string_view>

namespace osteon {

/// "1 voxel", "2 voxels".
inline std::string counted(std::int64_t number, std::string_view noun) {
  return std::to_string(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

}  // namespace osteon
