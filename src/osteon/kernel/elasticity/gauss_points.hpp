#pragma once
/// @file
/// Strains of an eight-node brick at its 2 x 2 x 2 Gauss points, and the nodal forces of stresses there. The eight corners,
/// or the eight Gauss points, are the lanes of one vector: 4 (upper in z) + 2 (upper in y) + (upper in x).
#include <cstddef>
#include <osteon/base/box.hpp>

namespace osteon::kernel {

/// Eight doubles: one for each corner of a brick, or for each of its Gauss points.
typedef double eight __attribute__((vector_size(64)));

/// Components zz, yy, xx, zy, zx, yx at the Gauss points; of strains the shears are engineering shears.
struct tensor_at_points {
  eight value[6];
};

namespace gauss_points_parts {

template <int axis>
[[gnu::always_inline]] inline eight mirrored(const eight& v) {
  if constexpr (axis == 0) return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  if constexpr (axis == 1) return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
  if constexpr (axis == 2) return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}

// -1 at the lower corners of the axis, +1 at the upper ones.
template <int axis>
inline constexpr eight side = axis == 0   ? eight{-1, -1, -1, -1, 1, 1, 1, 1}
                              : axis == 1 ? eight{-1, -1, 1, 1, -1, -1, 1, 1}
                                          : eight{-1, 1, -1, 1, -1, 1, -1, 1};

inline constexpr double root_third = 0.57735026918962576451;

// From corners to Gauss points along an axis. The matrix is symmetric: so it also is the way back of forces.
template <int axis>
[[gnu::always_inline]] inline eight between(const eight& v) {
  return (1 + root_third) / 2 * v + (1 - root_third) / 2 * mirrored<axis>(v);
}

// Upper minus lower corner, and its transpose.
template <int axis>
[[gnu::always_inline]] inline eight difference(const eight& v) {
  return side<axis> * (v - mirrored<axis>(v));
}
template <int axis>
[[gnu::always_inline]] inline eight difference_transposed(const eight& v) {
  return side<axis> * (v + mirrored<axis>(v));
}

}  // namespace gauss_points_parts

/// Strains at the Gauss points. @param u displacements of the corners, components z, y, x @param per_mm 1 / edge, z, y, x
[[gnu::always_inline]] inline void strains_at_points(const eight (&u)[3], const double (&per_mm)[3],
                                                     tensor_at_points& strain) {
  using namespace gauss_points_parts;
  eight gradient[3][3];  // of component c along d
  for (int c = 0; c < 3; ++c) {
    const eight along_x = between<2>(u[c]), along_y = between<1>(u[c]);
    gradient[c][0] = per_mm[0] * difference<0>(between<1>(along_x));
    gradient[c][1] = per_mm[1] * difference<1>(between<0>(along_x));
    gradient[c][2] = per_mm[2] * difference<2>(between<0>(along_y));
  }
  for (int c = 0; c < 3; ++c) strain.value[c] = gradient[c][c];
  strain.value[3] = gradient[0][1] + gradient[1][0];
  strain.value[4] = gradient[0][2] + gradient[2][0];
  strain.value[5] = gradient[1][2] + gradient[2][1];
}

/// Nodal forces of stresses at the Gauss points: the transpose of strains_at_points.
/// @param scale weight of a Gauss point over the edge, z, y, x: volume / 8 / edge
[[gnu::always_inline]] inline void forces_of_stresses(const tensor_at_points& stress, const double (&scale)[3],
                                                      eight (&force)[3]) {
  using namespace gauss_points_parts;
  constexpr int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int c = 0; c < 3; ++c) {
    const eight along_z = between<1>(scale[0] * stress.value[place[c][0]]),
                along_y = between<0>(scale[1] * stress.value[place[c][1]]),
                along_x = between<0>(scale[2] * stress.value[place[c][2]]);
    force[c] = between<2>(difference_transposed<0>(along_z) + difference_transposed<1>(along_y)) +
               between<1>(difference_transposed<2>(along_x));
  }
}

/// The mean over the Gauss points, at each of them.
[[gnu::always_inline]] inline eight mean_of_points(const eight& v) {
  double sum = 0;
  for (int g = 0; g < 8; ++g) sum += v[g];
  return eight{} + sum / 8;
}

}  // namespace osteon::kernel
