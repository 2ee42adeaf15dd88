#pragma once
/// @file
/// The number of a voxel's material, from segmentation to kernel. Files store one byte where that is enough
/// (docs/reference/format.md).
#include <cstddef>
#include <cstdint>

namespace osteon {

/// 0 is empty space.
using material_number = std::uint16_t;

inline constexpr std::size_t most_materials = 65535;  ///< of a model, empty space not counted

}  // namespace osteon
