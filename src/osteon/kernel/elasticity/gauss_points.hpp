#pragma once
/// @file
/// Strains of an eight-node brick at its 2 x 2 x 2 Gauss points, and nodal forces of stresses at these points. The eight
/// corners or Gauss points are the lanes of a vector: 4 (upper in z) + 2 (upper in y) + (upper in x).
#include <osteon/base/box.hpp>
#include <type_traits>

namespace osteon::kernel {

/// Eight numbers: one for each corner or Gauss point of a brick.
template <class T>
struct eight_of {
  typedef T vector __attribute__((vector_size(8 * sizeof(T))));
};
using eight = eight_of<double>::vector;

/// Components z, y, x at the corners: displacements or forces.
template <class T>
struct vector_at_corners {
  typename eight_of<T>::vector value[3];
};

/// Components zz, yy, xx, zy, zx, yx at the Gauss points. Strains have engineering shears.
template <class T>
struct tensor_at_points {
  typename eight_of<T>::vector value[6];
};

namespace gauss_points_parts {

template <int axis, class V>
[[gnu::always_inline]] inline V mirrored(const V& v) {
  if constexpr (axis == 0) return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  if constexpr (axis == 1) return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
  if constexpr (axis == 2) return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}

// Multiply by -1 at the lower and +1 at the upper corners of the axis.
template <int axis, class V>
[[gnu::always_inline]] inline V signed_by_side(const V& v) {
  if constexpr (axis == 0) return v * V{-1, -1, -1, -1, 1, 1, 1, 1};
  if constexpr (axis == 1) return v * V{-1, -1, 1, 1, -1, -1, 1, 1};
  if constexpr (axis == 2) return v * V{-1, 1, -1, 1, -1, 1, -1, 1};
}

// Interpolate from corners to Gauss points along an axis. The interpolation matrix is symmetric; it therefore also maps
// forces from Gauss points to corners.
template <int axis, class V>
[[gnu::always_inline]] inline V between(const V& v) {
  using scalar = std::remove_cvref_t<decltype(v[0])>;
  constexpr auto near = static_cast<scalar>((1 + 0.57735026918962576451) / 2),
                 far = static_cast<scalar>((1 - 0.57735026918962576451) / 2);
  return near * v + far * mirrored<axis>(v);
}

// Difference between upper and lower corner, and the transpose of this operation.
template <int axis, class V>
[[gnu::always_inline]] inline V difference(const V& v) {
  return signed_by_side<axis>(v - mirrored<axis>(v));
}
template <int axis, class V>
[[gnu::always_inline]] inline V difference_transposed(const V& v) {
  return signed_by_side<axis>(v + mirrored<axis>(v));
}

}  // namespace gauss_points_parts

/// Strains at the Gauss points. @param per_mm 1 / edge, z, y, x
template <class T>
[[gnu::always_inline]] inline void strains_at_points(const vector_at_corners<T>& u, const T (&per_mm)[3],
                                                     tensor_at_points<T>& strain) {
  using namespace gauss_points_parts;
  typename eight_of<T>::vector gradient[3][3];  // gradient of component c along d
  for (int c = 0; c < 3; ++c) {
    const auto along_x = between<2>(u.value[c]), along_y = between<1>(u.value[c]);
    gradient[c][0] = per_mm[0] * difference<0>(between<1>(along_x));
    gradient[c][1] = per_mm[1] * difference<1>(between<0>(along_x));
    gradient[c][2] = per_mm[2] * difference<2>(between<0>(along_y));
  }
  for (int c = 0; c < 3; ++c) strain.value[c] = gradient[c][c];
  strain.value[3] = gradient[0][1] + gradient[1][0];
  strain.value[4] = gradient[0][2] + gradient[2][0];
  strain.value[5] = gradient[1][2] + gradient[2][1];
}

/// Nodal forces of stresses at the Gauss points: the transpose of strains_at_points().
/// @param scale weight of a Gauss point divided by the edge, z, y, x: volume / 8 / edge
template <class T>
[[gnu::always_inline]] inline void forces_of_stresses(const tensor_at_points<T>& stress, const T (&scale)[3],
                                                      vector_at_corners<T>& force) {
  using namespace gauss_points_parts;
  constexpr int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int c = 0; c < 3; ++c) {
    const auto along_z = between<1>(scale[0] * stress.value[place[c][0]]),
               along_y = between<0>(scale[1] * stress.value[place[c][1]]),
               along_x = between<0>(scale[2] * stress.value[place[c][2]]);
    force.value[c] = between<2>(difference_transposed<0>(along_z) + difference_transposed<1>(along_y)) +
                     between<1>(difference_transposed<2>(along_x));
  }
}

/// Mean over the Gauss points, in all lanes.
template <class V>
[[gnu::always_inline]] inline V mean_of_points(const V& v) {
  using namespace gauss_points_parts;
  using scalar = std::remove_cvref_t<decltype(v[0])>;
  const V pairs = v + mirrored<0>(v), fours = pairs + mirrored<1>(pairs);
  return static_cast<scalar>(0.125) * (fours + mirrored<2>(fours));
}

}  // namespace osteon::kernel
