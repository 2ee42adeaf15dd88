#pragma once
/// @file
/// The axes along which a stiffness is most nearly orthotropic.
#include <osteon/solve/elasticity/elastic_constants.hpp>

namespace osteon::solve {

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

}  // namespace osteon::solve
