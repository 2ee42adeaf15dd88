#pragma once
/// @file
/// Derived quantities of a 6 x 6 stiffness: compliance, engineering constants, anisotropy, the axes along which it is most
/// nearly orthotropic.
#include <array>
#include <optional>

namespace osteon::physics {

/// Stress over strain, or the inverse, in the order xx, yy, zz, xy, yz, xz with engineering shear strains.
using voigt_matrix = std::array<std::array<double, 6>, 6>;

/// Constants in the axes of the image. A misfit is the distance to the nearest stiffness of a symmetry over the norm of
/// the stiffness, in the norm of the fourth-order tensor: 0 has the symmetry.
/// @cite [MoakherNorris2006], Euclidean projections
struct elastic_constants {
  voigt_matrix compliance_per_MPa{};
  std::array<double, 3> youngs_modulus_MPa{};            ///< along x, y, z: uniaxial stress
  std::array<double, 3> shear_modulus_MPa{};             ///< xy, yz, xz
  std::array<std::array<double, 3>, 3> poisson_ratio{};  ///< [i][j]: contraction along j under stress along i; x, y, z
  double bulk_voigt_MPa = 0, shear_voigt_MPa = 0;        ///< the nearest isotropic stiffness
  double bulk_reuss_MPa = 0, shear_reuss_MPa = 0;        ///< the nearest isotropic compliance
  /// 5 G_V / G_R + K_V / K_R - 6: 0 if isotropic. @cite [Ranganathan2008]
  double universal_anisotropy = 0;
  double zener_ratio = 0;  ///< 2 C44 / (C11 - C12) of the nearest cubic stiffness; means nothing if cubic_misfit is large
  double isotropic_misfit = 0, cubic_misfit = 0, orthotropic_misfit = 0;  ///< of the symmetries along the image axes
};

/// @param stiffness_MPa symmetric
/// @return nothing if it is not positive definite: a specimen that carries no load in some direction has no compliance
std::optional<elastic_constants> constants_of(const voigt_matrix& stiffness_MPa);

/// A stiffness seen along axes of its own.
struct orthotropic_frame {
  std::array<std::array<double, 3>, 3> axes{};  ///< [i]: direction (x, y, z) of axis i, right-handed, near image axis i
  voigt_matrix stiffness_MPa{};                 ///< along these axes
};

/// Turn a stiffness to the axes for which the entries that an orthotropic one lacks are smallest, in the norm of the tensor.
///
/// The search goes round by round about its three axes, from the image's axes, from those of the dilatational and of
/// Voigt's tensor, C_ijkk and C_ikjk, which are the axes of symmetry of an exactly orthotropic material with three
/// different axes, and from fixed rotations for materials that have more symmetry.
/// @param stiffness_MPa symmetric
/// @cite [CowinMehrabadi1987]; [VanRietbergen1996]
orthotropic_frame best_orthotropic_frame(const voigt_matrix& stiffness_MPa);

}  // namespace osteon::physics
