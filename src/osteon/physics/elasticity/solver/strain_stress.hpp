#pragma once
/// @file
/// Strain and stress of a solution at the voxel centres. At the centre, the strain of the trilinear brick equals the mean
/// strain of the voxel.
///
/// Tensors have the order xx, yy, zz, xy, yz, xz. Shear strains are engineering shears (gamma_xy = 2 eps_xy). All functions
/// are local, compute in double precision, and return values per active voxel. A strain is the total strain of the
/// displacements. A stress corresponds to the mechanical strain: total strain minus thermal strain (thermal_load.hpp). An
/// empty list of thermal strains represents zero.
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// @return shape (cells, 6) [1]
std::vector<float> strain(const elasticity_problem& problem, std::span<const double> displacement_mm);

/// @return shape (cells, 6) [MPa]
std::vector<float> stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                          std::span<const double> thermal_strain = {});

/// Strain energy density: half the product of stress and mechanical strain. The density is zero in free thermal expansion.
/// The mean density of a voxel (integrated_energy_density) is not less than the density at the centre.
/// @return per cell [MPa], >= 0
std::vector<float> strain_energy_density(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                         std::span<const double> thermal_strain = {});

/// @return per cell [MPa]
std::vector<float> von_mises_stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                    std::span<const double> thermal_strain = {});

/// Principal stress of each cell. @param which 0 is the largest, 2 the smallest @return per cell [MPa]
std::vector<float> principal_stress(const elasticity_problem& problem, std::span<const double> displacement_mm, int which,
                                    std::span<const double> thermal_strain = {});

/// Principal strain of each cell. @param which 0 is the largest, 2 the smallest @return per cell [1]
std::vector<float> principal_strain(const elasticity_problem& problem, std::span<const double> displacement_mm, int which);

/// Unit vector of a principal stress. The materials are isotropic, so the principal strain has the same direction. The
/// sign of the vector is arbitrary. The vector is not unique for equal principal stresses.
/// @return shape (cells, 3), components x, y, z
std::vector<float> principal_direction(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                       int which);

}  // namespace osteon::physics
