#pragma once
/// @file
/// Yield surface in two stress invariants.

namespace osteon::kernel {

/// The yield function is f = sqrt(a^2 q^2 + c^2 I1^2) + b I1 - 1 - h alpha, with the von Mises stress q and the trace I1 of
/// the stress. For c = 0, the surface is a cone about the hydrostatic axis. For b = c = 0, the surface is the von Mises
/// cylinder. For c > 0, the surface is a quadric without a tip; the quadric is closed if c > |b|. The flow is associated.
/// The hardening variable alpha increases by the plastic multiplier and is the dissipated work per volume [MPa]. Hardening
/// multiplies the yield stress by 1 + h alpha.
struct yield_surface {
  double a = 0;  ///< 1/MPa; 0: elastic material
  double b = 0;  ///< 1/MPa
  double h = 0;  ///< 1/MPa
  double c = 0;  ///< 1/MPa
  bool yields() const { return a > 0; }
};

/// Interaction parameter for which the quadric is a cone.
inline constexpr double interaction_of_cone = 0.5;

/// @cite [DruckerPrager1952]: the cone
/// @cite [Schwiedrzik2013]: the quadric, isotropic
/// Surface from the uniaxial strengths in tension and compression [MPa], both positive.
/// @param hardening slope of the compressive stress over its plastic strain [MPa]
/// @param interaction Schwiedrzik's zeta_0, in (-1, 0.5]
inline yield_surface surface_of(double tension, double compression, double hardening,
                                double interaction = interaction_of_cone) {
  const double mean = (1 / tension + 1 / compression) / 2, rest = (1 - 2 * interaction) / 3;
  return {mean * __builtin_sqrt(1 - rest), (1 / tension - 1 / compression) / 2, hardening / (compression * compression),
          mean * __builtin_sqrt(rest)};
}

/// A material that may yield.
struct plastic_material {
  double mu = 0, bulk = 0;  ///< MPa
  yield_surface surface;
};

}  // namespace osteon::kernel
