#pragma once
/// @file
/// Materials of voxels with individual elastic constants. Voxels with nearly equal constants have a common material;
/// thousands of materials are sufficient.
#include <cstdint>
#include <functional>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>

namespace osteon::voxel {

/// @param youngs_modulus_MPa > 0 @param poisson_ratio in (-1, 0.5)
struct elastic_constants {
  double youngs_modulus_MPa = 1, poisson_ratio = 0.3;
  auto operator<=>(const elastic_constants&) const = default;
};

struct elastic_classes {
  material_table materials;  ///< [0] is empty space
  double modulus_error = 0;  ///< largest |E of the material - E of the voxel| / E of the voxel
  double poisson_error = 0;  ///< largest |nu of the material - nu of the voxel|
  std::function<material_number(const elastic_constants&)> number;  ///< material of a voxel with these constants
};

inline constexpr std::size_t most_classes = 4096;

/// Calls its argument with the constants of each solid voxel, in any order.
using each_solid_voxel = std::function<void(const std::function<void(const elastic_constants&)>&)>;

/// Determine at most `most_classes` materials of solid voxels.
///
/// Up to `most_classes` different pairs (E, nu) are represented exactly. Larger numbers of pairs are grouped into classes of
/// Poisson's ratio. Each class of Poisson's ratio is divided into classes of Young's modulus. The number of classes of
/// Poisson's ratio minimises the larger of the two errors. The ratio of the upper to the lower limit is equal for all
/// classes of Young's modulus, and is the smallest possible ratio for 4096 classes. The modulus of a class has the same
/// relative error at both limits. For a single Poisson's ratio and moduli from low to high, the error of E is (q - 1) / (q +
/// 1) with q = (high / low)^(1/4096). This error is 0.06 % for moduli over two decades and 0.11 % for moduli over four
/// decades.
/// @param visit called up to three times; may pass equal constants of several voxels in one call
elastic_classes sort_into_materials(const each_solid_voxel& visit);

}  // namespace osteon::voxel
