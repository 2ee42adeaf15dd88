#pragma once
/// @file
/// Eight samples of a volume at once: where they lie, their interpolated values and gradients.
///
/// The eight lie on one ray, so they share a few cache lines. Values are fetched as pairs of neighbours along x, 8 bytes
/// at a time: half the loads of a gather, which processors carry out one lane after the other anyway.
#include <cstdint>
#include <cstring>

namespace osteon::kernel {

typedef float float8 __attribute__((vector_size(32)));
typedef std::int32_t integer8 __attribute__((vector_size(32)));

[[gnu::always_inline]] inline float8 all(float a) { return float8{} + a; }
[[gnu::always_inline]] inline integer8 all(std::int32_t a) { return integer8{} + a; }
[[gnu::always_inline]] inline float8 lerp(float8 a, float8 b, float8 f) { return a + f * (b - a); }
[[gnu::always_inline]] inline integer8 clamp(integer8 i, std::int32_t low, std::int32_t high) {
  i = i < low ? all(low) : i;
  return i > high ? all(high) : i;
}
/// Whether a lane of a comparison's result holds.
[[gnu::always_inline]] inline bool any(integer8 mask) {
  typedef std::int64_t wide __attribute__((vector_size(32)));
  const auto m = (wide)mask;
  return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
}

/// The floats at `from` + at[i], and those that follow them.
template <class Offset>
[[gnu::always_inline]] inline void pairs_at(const float* from, const Offset (&at)[8], float8& a, float8& b) {
  typedef std::uint64_t quads __attribute__((vector_size(32)));
  const auto two = [&](int i) {
    std::uint64_t result;
    std::memcpy(&result, from + at[i], sizeof result);
    return result;
  };
  // vshufps works on halves of a register: in this order the lanes come out as they are numbered.
  const auto p = (float8)(quads{two(0), two(1), two(4), two(5)});
  const auto q = (float8)(quads{two(2), two(3), two(6), two(7)});
  a = __builtin_shufflevector(p, q, 0, 2, 8, 10, 4, 6, 12, 14);
  b = __builtin_shufflevector(p, q, 1, 3, 9, 11, 5, 7, 13, 15);
}

/// The voxels around eight samples, numbered -1, 0, 1, 2 on each axis: a sample lies between the middles of 0 and 1.
/// Voxels beyond the domain's ends repeat the last one.
struct eight_samples {
  float8 fz, fy, fx;  ///< weights of the voxels numbered 1
  bool inside;        ///< no voxel lies beyond an end, so all of a sample's are as far apart as voxels in memory
  std::int64_t first[8], across_z, across_y;  ///< if inside: offsets of the voxels 0 from one that all share; strides
  integer8 z[4], y[4], x[4];                  ///< if not: offsets along each axis from a voxel that all share

  // `Inside` is `inside`, known to the compiler: the two ways differ in every load.

  /// Values of the voxels `i` and `i` + 1 along x, in the row (k, j).
  template <bool Inside>
  [[gnu::always_inline]] inline void pair(const float* v, int k, int j, int i, float8& a, float8& b) const {
    if constexpr (Inside) {
      const float* row = v + (k * across_z + j * across_y + i);
      pairs_at(row, first, a, b);
    } else {
      const integer8 row = z[k + 1] + y[j + 1];
      std::int32_t at[8], next[8];
      store(at, row + x[i + 1]);
      store(next, row + x[i + 2]);
      for (int s = 0; s < 8; ++s) {
        a[s] = v[at[s]];
        b[s] = v[next[s]];
      }
    }
  }

  template <bool Inside>
  [[gnu::always_inline]] inline float8 row(const float* v, int k, int j) const {
    float8 a, b;
    pair<Inside>(v, k, j, 0, a, b);
    return lerp(a, b, fx);
  }

  template <bool Inside>
  [[gnu::always_inline]] inline float8 value(const float* v) const {
    const float8 low = lerp(row<Inside>(v, 0, 0), row<Inside>(v, 0, 1), fy),
                 high = lerp(row<Inside>(v, 1, 0), row<Inside>(v, 1, 1), fy);
    return lerp(low, high, fz);
  }

  /// The values from the neighbours that are not NaN, and their share of the weights.
  template <bool Inside>
  [[gnu::always_inline]] inline float8 value_of_present(const float* v, float8& share) const {
    float8 sums[4], weights[4];
    for (int k = 0; k < 4; ++k) {
      float8 a, b;
      pair<Inside>(v, k >> 1, k & 1, 0, a, b);
      const float8 one = all(1.0f);
      weights[k] = lerp(a == a ? one : float8{}, b == b ? one : float8{}, fx);
      sums[k] = lerp(a == a ? a : float8{}, b == b ? b : float8{}, fx);
    }
    share = lerp(lerp(weights[0], weights[1], fy), lerp(weights[2], weights[3], fy), fz);
    const float8 sum = lerp(lerp(sums[0], sums[1], fy), lerp(sums[2], sums[3], fy), fz);
    return share > 0 ? sum / share : float8{};
  }

  /// Twice the gradient per voxel, z first: the interpolated value one voxel ahead less that one voxel behind.
  template <bool Inside>
  [[gnu::always_inline]] inline void slope(const float* v, float8 (&result)[3]) const {
    const float8 below = lerp(row<Inside>(v, -1, 0), row<Inside>(v, -1, 1), fy),
                 above = lerp(row<Inside>(v, 2, 0), row<Inside>(v, 2, 1), fy);
    float8 across[2], low[2], along[2];
    for (int k = 0; k < 2; ++k) {
      float8 a0, a1, a2, a3, b0, b1, b2, b3;
      pair<Inside>(v, k, 0, -1, a0, a1);
      pair<Inside>(v, k, 0, 1, a2, a3);
      pair<Inside>(v, k, 1, -1, b0, b1);
      pair<Inside>(v, k, 1, 1, b2, b3);
      const float8 a = lerp(a1, a2, fx), b = lerp(b1, b2, fx);
      low[k] = lerp(a, b, fy);
      across[k] = lerp(b - row<Inside>(v, k, -1), row<Inside>(v, k, 2) - a, fy);
      along[k] = lerp(lerp(a2 - a0, a3 - a1, fx), lerp(b2 - b0, b3 - b1, fx), fy);
    }
    result[0] = lerp(low[1] - below, above - low[0], fz);
    result[1] = lerp(across[0], across[1], fz);
    result[2] = lerp(along[0], along[1], fz);
  }

 private:
  [[gnu::always_inline]] static inline void store(std::int32_t* to, const integer8& from) {
    std::memcpy(to, &from, sizeof from);
  }
};

}  // namespace osteon::kernel
