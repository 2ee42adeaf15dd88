#pragma once
/// @file
/// Voxels with elastic constants of their own. Thousands of materials are as good as any number, so where there are
/// more constants than that, voxels with nearly the same share one.
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

/// Find for solid voxels at most `most_classes` materials.
///
/// At most that many different pairs (E, nu) are kept as they are. More are sorted into as many classes of Poisson's ratio
/// as make the larger of the two errors smallest, and in each of those into classes of Young's modulus of at most one ratio
/// between their ends, the smallest ratio for which 4096 classes are enough. A class has the modulus that is off by the same
/// fraction at both ends. For one Poisson's ratio and moduli spread from low to high everywhere the error of E is (q - 1) /
/// (q + 1), q = (high / low)^(1/4096): 0.06 % for two decades, 0.11 % for four.
/// @param visit called up to three times; what several voxels share it may give once
elastic_classes sort_into_materials(const each_solid_voxel& visit);

}  // namespace osteon::voxel
