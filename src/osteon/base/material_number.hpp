#pragma once
/// @file
/// Material number of a voxel, from segmentation to kernels. Files store a material number in one byte if one byte suffices
/// (docs/reference/format.md).
#include <cstddef>
#include <cstdint>

namespace osteon {

/// Material number; 0 is empty space.
using material_number = std::uint16_t;

inline constexpr std::size_t most_materials = 65535;  ///< maximum number of materials of a model, without empty space

}  // namespace osteon
