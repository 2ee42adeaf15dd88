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
#ifdef __AVX__
  typedef long long wide __attribute__((vector_size(32)));
  return !__builtin_ia32_ptestz256((wide)mask, (wide)mask);
#else
  typedef std::int64_t wide __attribute__((vector_size(32)));
  const auto m = (wide)mask;
  return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
#endif
}

/// Whether all lanes of a comparison's result hold.
[[gnu::always_inline]] inline bool every(integer8 mask) { return !any(~mask); }

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

/// The four floats at `from` + at[i].
[[gnu::always_inline]] inline void fours_at(const float* from, const std::int32_t (&at)[8], float8 (&result)[4]) {
  typedef float quad __attribute__((vector_size(16)));
  const auto two = [&](int i, int k) {
    quad a, b;
    std::memcpy(&a, from + at[i], sizeof a);
    std::memcpy(&b, from + at[k], sizeof b);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  };
  const float8 a = two(0, 4), b = two(1, 5), c = two(2, 6), d = two(3, 7);
  const float8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
               cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  result[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
  result[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  const float8 ef = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15),
               gh = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  result[2] = __builtin_shufflevector(ef, gh, 0, 1, 8, 9, 4, 5, 12, 13);
  result[3] = __builtin_shufflevector(ef, gh, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Places of eight samples among voxels, numbered -1, 0, 1, 2 on each axis: a sample lies between the middles of 0 and 1.
struct eight_places {
  float8 fz, fy, fx;      ///< weights of the voxels numbered 1
  std::int32_t first[8];  ///< offsets of the voxels 0 from one that all share
};

/// Eight samples, and the strides of the voxels around them.
struct eight_samples {
  eight_places at;
  /// Where gradients are taken: the same, but not next to an end of the domain, where a voxel would be missing.
  eight_places near;
  bool inside;  ///< whether they are the same; then `near` is not set
  std::int64_t across_z, across_y;

  /// Interpolated values, of voxels from v on.
  [[gnu::always_inline]] inline float8 value(const float* v) const {
    const float8 low = lerp(row(v, at, 0, 0), row(v, at, 0, 1), at.fy),
                 high = lerp(row(v, at, 1, 0), row(v, at, 1, 1), at.fy);
    return lerp(low, high, at.fz);
  }

  /// The values from the neighbours that are not NaN, and their share of the weights.
  [[gnu::always_inline]] inline float8 value_of_present(const float* v, float8& share) const {
    float8 sums[4], weights[4];
    for (int k = 0; k < 4; ++k) {
      float8 a, b;
      pairs_at(voxel(v, k >> 1, k & 1), at.first, a, b);
      const float8 one = all(1.0f);
      weights[k] = lerp(a == a ? one : float8{}, b == b ? one : float8{}, at.fx);
      sums[k] = lerp(a == a ? a : float8{}, b == b ? b : float8{}, at.fx);
    }
    share = lerp(lerp(weights[0], weights[1], at.fy), lerp(weights[2], weights[3], at.fy), at.fz);
    const float8 sum = lerp(lerp(sums[0], sums[1], at.fy), lerp(sums[2], sums[3], at.fy), at.fz);
    return share > 0 ? sum / share : float8{};
  }

  /// Twice the gradient per voxel, z first: the interpolated value one voxel ahead less that one voxel behind.
  [[gnu::always_inline]] inline void slope(const float* v, float8 (&result)[3]) const {
    const eight_places& p = inside ? at : near;
    const float8 below = lerp(row(v, p, -1, 0), row(v, p, -1, 1), p.fy),
                 above = lerp(row(v, p, 2, 0), row(v, p, 2, 1), p.fy);
    float8 across[2], low[2], along[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      float8 a[4], b[4];
      fours_at(voxel(v, k, 0) - 1, p.first, a);
      fours_at(voxel(v, k, 1) - 1, p.first, b);
      const float8 a_here = lerp(a[1], a[2], p.fx), b_here = lerp(b[1], b[2], p.fx);
      low[k] = lerp(a_here, b_here, p.fy);
      across[k] = lerp(b_here - row(v, p, k, -1), row(v, p, k, 2) - a_here, p.fy);
      along[k] = lerp(lerp(a[2] - a[0], a[3] - a[1], p.fx), lerp(b[2] - b[0], b[3] - b[1], p.fx), p.fy);
    }
    result[0] = lerp(low[1] - below, above - low[0], p.fz);
    result[1] = lerp(across[0], across[1], p.fz);
    result[2] = lerp(along[0], along[1], p.fz);
  }

 private:
  [[gnu::always_inline]] inline const float* voxel(const float* v, int k, int j) const {
    return v + (k * across_z + j * across_y);
  }
  [[gnu::always_inline]] inline float8 row(const float* v, const eight_places& p, int k, int j) const {
    float8 a, b;
    pairs_at(voxel(v, k, j), p.first, a, b);
    return lerp(a, b, p.fx);
  }
};

}  // namespace osteon::kernel
