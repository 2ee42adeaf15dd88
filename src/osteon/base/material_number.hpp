#pragma once
/// @file
/// Material number of a voxel. All modules from segmentation to kernels use this type. Files store a material number in one
/// byte if one byte is sufficient (docs/reference/format.md).
#include <cstddef>
#include <cstdint>

namespace osteon {

/// Material number; 0 is empty space.
using material_number = std::uint16_t;

inline constexpr std::size_t most_materials = 65535;  ///< maximum number of materials of a model; empty space is not counted

}  // namespace osteon
