#pragma once
/// @file
/// Voxels with individual elastic constants. Thousands of materials are sufficient, so voxels with nearly equal constants
/// share a material.
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
/// Up to that many different pairs (E, nu) are exact. Larger numbers are grouped into classes of Poisson's ratio, whose
/// number minimises the larger of the two errors, and within these into classes of Young's modulus with a common ratio
/// between their ends, the smallest ratio for 4096 classes. The modulus of a class has the same relative error at both ends.
/// For one Poisson's ratio and moduli from low to high the error of E is (q - 1) / (q + 1), q = (high / low)^(1/4096): 0.06
/// % for two decades, 0.11 % for four.
/// @param visit called up to three times; may pass values shared by several voxels once
elastic_classes sort_into_materials(const each_solid_voxel& visit);

}  // namespace osteon::voxel
