#pragma once
/// @file
/// Stiffness loss of a voxel under strain.
#include <limits>
#include <osteon/kernel/elasticity/yield_surface.hpp>

namespace osteon::kernel {

/// Residual stiffness of a broken voxel divided by its initial stiffness. The residual stiffness prevents the separation of
/// the body into unsupported parts.
inline constexpr double stiffness_of_broken = 1e-3;

/// Secant damage. kappa is the maximum of a q + b I1 over the history of the undamaged (effective) stress. The stress is (1
/// - D(kappa)) times the effective stress. In a uniaxial test, the slope of the stress-strain curve is Young's modulus E up
/// to the strength, and p E beyond the strength. Unloading follows a straight line to the origin. If kappa exceeds
/// `fracture`, the voxel is permanently broken.
struct damage_law {
  yield_surface surface;                                      ///< a and b only
  double slope = 0;                                           ///< p, in [0, 1)
  double fracture = std::numeric_limits<double>::infinity();  ///< kappa at which a voxel breaks, > 1

  double damage_of(double kappa) const { return kappa > 1 ? (1 - slope) * (1 - 1 / kappa) : 0; }
};

}  // namespace osteon::kernel
