#pragma once
/// @file
/// Discrete Fourier transforms of 2, 3, 4, 5 and 8 points in registers, of four lines at once.
#include <osteon/kernel/lanes.hpp>

namespace osteon::kernel {

/// One element of four lines. Real and imaginary parts are separate; a product with a twiddle factor therefore needs no
/// shuffle.
struct complex_lanes {
  using vector = lanes<double>::vector;
  vector re, im;
};

[[gnu::always_inline]] inline complex_lanes operator+(const complex_lanes& a, const complex_lanes& b) {
  return {a.re + b.re, a.im + b.im};
}
[[gnu::always_inline]] inline complex_lanes operator-(const complex_lanes& a, const complex_lanes& b) {
  return {a.re - b.re, a.im - b.im};
}
[[gnu::always_inline]] inline complex_lanes operator*(double s, const complex_lanes& a) { return {s * a.re, s * a.im}; }
[[gnu::always_inline]] inline complex_lanes times(const complex_lanes& a, double re, double im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
/// Product -i a: a rotation by a quarter of a circle in the direction of the forward transform.
[[gnu::always_inline]] inline complex_lanes turned(const complex_lanes& a) { return {a.im, -a.re}; }

/// Replace the R values of `a` by their forward transform, the sum of a[j] exp(-2 pi i j k / R).
template <int R>
void transform_in_registers(complex_lanes* a) = delete;

template <>
[[gnu::always_inline]] inline void transform_in_registers<2>(complex_lanes* a) {
  const complex_lanes sum = a[0] + a[1], difference = a[0] - a[1];
  a[0] = sum, a[1] = difference;
}

template <>
[[gnu::always_inline]] inline void transform_in_registers<3>(complex_lanes* a) {
  constexpr double sine = 0.86602540378443864676;  // of 2 pi / 3
  const complex_lanes sum = a[1] + a[2], difference = sine * turned(a[1] - a[2]), middle = a[0] - 0.5 * sum;
  a[0] = a[0] + sum, a[1] = middle + difference, a[2] = middle - difference;
}

template <>
[[gnu::always_inline]] inline void transform_in_registers<4>(complex_lanes* a) {
  const complex_lanes s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = turned(a[1] - a[3]);
  a[0] = s02 + s13, a[1] = d02 + d13, a[2] = s02 - s13, a[3] = d02 - d13;
}

template <>
[[gnu::always_inline]] inline void transform_in_registers<5>(complex_lanes* a) {
  // Cosines and sines of 2 pi / 5 and 4 pi / 5.
  constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
  constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
  const complex_lanes s14 = a[1] + a[4], s23 = a[2] + a[3], d14 = turned(a[1] - a[4]), d23 = turned(a[2] - a[3]);
  const complex_lanes m1 = a[0] + c1 * s14 + c2 * s23, m2 = a[0] + c2 * s14 + c1 * s23;
  const complex_lanes n1 = s1 * d14 + s2 * d23, n2 = s2 * d14 - s1 * d23;
  a[0] = a[0] + s14 + s23, a[1] = m1 + n1, a[2] = m2 + n2, a[3] = m2 - n2, a[4] = m1 - n1;
}

template <>
[[gnu::always_inline]] inline void transform_in_registers<8>(complex_lanes* a) {
  constexpr double half = 0.70710678118654752440;  // 1 / sqrt 2
  complex_lanes even[4] = {a[0] + a[4], a[1] + a[5], a[2] + a[6], a[3] + a[7]};
  const complex_lanes d1 = a[1] - a[5], d3 = a[3] - a[7];
  // Rotate by 1/8, 2/8 and 3/8 of a circle.
  complex_lanes odd[4] = {a[0] - a[4], half * (d1 + turned(d1)), turned(a[2] - a[6]), half * (turned(d3) - d3)};
  transform_in_registers<4>(even);
  transform_in_registers<4>(odd);
  for (int k = 0; k < 4; ++k) a[2 * k] = even[k], a[2 * k + 1] = odd[k];
}

}  // namespace osteon::kernel
