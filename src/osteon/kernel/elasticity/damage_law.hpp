#pragma once
/// @file
/// Stiffness that a voxel loses as it is strained.
#include <limits>
#include <osteon/kernel/elasticity/yield_surface.hpp>

namespace osteon::kernel {

/// Stiffness that a broken voxel has left, over its own: the body must not fall apart into parts that nothing holds.
inline constexpr double stiffness_of_broken = 1e-3;

/// Secant damage: kappa is the largest value so far of a q + b I1 of the stress that the strain would have without damage;
/// the stress is (1 - D(kappa)) times that. In a uniaxial test it follows Young's modulus E up to the strength, then the
/// slope p E; it unloads to the origin. Beyond the fracture the voxel is broken, for good.
struct damage_law {
  yield_surface surface;                                      ///< a and b only
  double slope = 0;                                           ///< p, in [0, 1)
  double fracture = std::numeric_limits<double>::infinity();  ///< kappa at which a voxel breaks, > 1

  double damage_of(double kappa) const { return kappa > 1 ? (1 - slope) * (1 - 1 / kappa) : 0; }
};

}  // namespace osteon::kernel
