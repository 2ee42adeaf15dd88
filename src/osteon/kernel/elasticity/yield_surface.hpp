#pragma once
/// @file
/// When a point yields.

namespace osteon::kernel {

/// f = a q + b I1 - 1 - h alpha, with the von Mises stress q and the trace I1: a cone about the hydrostatic axis, or with b
/// = 0 the cylinder of von Mises. The flow is associated, and alpha grows by the plastic multiplier: it is the work that is
/// dissipated, per volume [MPa]. The yield stress grows by the factor 1 + h alpha.
struct yield_surface {
  double a = 0;  ///< 1/MPa; 0: stays elastic
  double b = 0;  ///< 1/MPa
  double h = 0;  ///< 1/MPa
  bool yields() const { return a > 0; }
};

/// @cite [DruckerPrager1952]: the cone
/// Of the uniaxial strengths in tension and compression [MPa], both positive.
/// @param hardening slope of the compressive stress over its plastic strain [MPa]
inline yield_surface surface_of(double tension, double compression, double hardening) {
  return {(1 / tension + 1 / compression) / 2, (1 / tension - 1 / compression) / 2, hardening / (compression * compression)};
}

/// A material that may yield.
struct plastic_material {
  double mu = 0, bulk = 0;  ///< MPa
  yield_surface surface;
};

}  // namespace osteon::kernel
