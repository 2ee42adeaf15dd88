#pragma once
/// @file
/// Derived quantities of a 6 x 6 stiffness: compliance, engineering constants, anisotropy, and the axes of closest
/// orthotropy.
#include <array>
#include <optional>

namespace osteon::physics {

/// Stiffness or compliance in the order xx, yy, zz, xy, yz, xz with engineering shear strains.
using voigt_matrix = std::array<std::array<double, 6>, 6>;

/// Constants in the axes of the image. A misfit is the relative distance between the stiffness and the closest stiffness
/// of a symmetry class. The distance uses the norm of the fourth-order tensor. The misfit is 0 for a stiffness with the
/// symmetry of the class.
/// @cite [MoakherNorris2006], Euclidean projections
struct elastic_constants {
  voigt_matrix compliance_per_MPa{};
  std::array<double, 3> youngs_modulus_MPa{};            ///< along x, y, z: uniaxial stress
  std::array<double, 3> shear_modulus_MPa{};             ///< xy, yz, xz
  std::array<std::array<double, 3>, 3> poisson_ratio{};  ///< [i][j]: contraction along j under stress along i; x, y, z
  double bulk_voigt_MPa = 0, shear_voigt_MPa = 0;        ///< closest isotropic stiffness
  double bulk_reuss_MPa = 0, shear_reuss_MPa = 0;        ///< closest isotropic compliance
  /// 5 G_V / G_R + K_V / K_R - 6: 0 if isotropic. @cite [Ranganathan2008]
  double universal_anisotropy = 0;
  double zener_ratio = 0;  ///< 2 C44 / (C11 - C12) of the closest cubic stiffness; not meaningful for a large cubic_misfit
  double isotropic_misfit = 0, cubic_misfit = 0, orthotropic_misfit = 0;  ///< for symmetry axes along the image axes
};

/// @param stiffness_MPa symmetric
/// @return empty if the stiffness is not positive definite (undefined compliance)
std::optional<elastic_constants> constants_of(const voigt_matrix& stiffness_MPa);

/// A stiffness in its axes of closest orthotropy.
struct orthotropic_frame {
  std::array<std::array<double, 3>, 3> axes{};  ///< [i]: direction (x, y, z) of axis i, right-handed, near image axis i
  voigt_matrix stiffness_MPa{};                 ///< stiffness along these axes
};

/// Rotate a stiffness to the axes of closest orthotropy. Some entries of an orthotropic stiffness are zero. The rotation
/// minimises the tensor norm of these entries.
///
/// The search rotates repeatedly about the three axes. The starting points are the image axes, the principal axes of the
/// dilatational tensor C_ijkk, and the principal axes of Voigt's tensor C_ikjk. Fixed rotations are further starting
/// points for materials of higher symmetry. The principal axes are the symmetry axes of an exactly orthotropic material
/// with three different axes.
/// @param stiffness_MPa symmetric
/// @cite [CowinMehrabadi1987]; [VanRietbergen1996]
orthotropic_frame best_orthotropic_frame(const voigt_matrix& stiffness_MPa);

}  // namespace osteon::physics
