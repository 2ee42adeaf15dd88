#pragma once
/// @file
/// Strain and stress of a solution, one value per active voxel, at the voxel's centre: there, the strain of the trilinear
/// brick equals its mean over the voxel.
///
/// Tensors have the order xx, yy, zz, xy, yz, xz; the shears of a strain are engineering shears (gamma_xy = 2 eps_xy).
/// All functions are local, compute in double, and use the displacements of elasticity_solution. A strain is the total one,
/// of the displacements; the stress is that of its mechanical part, the total less the thermal strain (thermal_load.hpp),
/// one per active cell. An empty list means none.
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// @return shape (cells, 6) [1]
std::vector<float> strain(const elasticity_problem& problem, std::span<const double> displacement_mm);

/// @return shape (cells, 6) [MPa]
std::vector<float> stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                          std::span<const double> thermal_strain = {});

/// Strain energy density, half the product of stress and mechanical strain: zero in free thermal expansion. The energy
/// density of the whole voxel is at least this value (integrated_energy_density).
/// @return per cell [MPa], >= 0
std::vector<float> strain_energy_density(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                         std::span<const double> thermal_strain = {});

/// @return per cell [MPa]
std::vector<float> von_mises_stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                    std::span<const double> thermal_strain = {});

/// A principal stress of each cell. @param which 0 is the largest, 2 the smallest @return per cell [MPa]
std::vector<float> principal_stress(const elasticity_problem& problem, std::span<const double> displacement_mm, int which,
                                    std::span<const double> thermal_strain = {});

/// A principal strain of each cell. @param which 0 is the largest, 2 the smallest @return per cell [1]
std::vector<float> principal_strain(const elasticity_problem& problem, std::span<const double> displacement_mm, int which);

/// The unit vector of the direction of a principal stress; in an isotropic material it is also the direction of the
/// principal strain, and thermal strain has no preferred direction. Its sign is arbitrary. For equal principal stresses it
/// is not unique.
/// @return shape (cells, 3), components x, y, z
std::vector<float> principal_direction(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                       int which);

}  // namespace osteon::physics
