#pragma once
/// @file
/// Eight samples of a volume: positions, interpolated values and gradients.
///
/// The samples are on one ray and therefore share a few cache lines. Values are loaded as pairs of neighbours along x (8
/// bytes). A gather instruction would require twice the number of loads.
#include <cstdint>
#include <cstring>

namespace osteon::kernel {

typedef float float8 __attribute__((vector_size(32)));
typedef std::int32_t integer8 __attribute__((vector_size(32)));

[[gnu::always_inline]] inline float8 all(float a) { return float8{a, a, a, a, a, a, a, a}; }
[[gnu::always_inline]] inline integer8 all(std::int32_t a) { return integer8{a, a, a, a, a, a, a, a}; }
[[gnu::always_inline]] inline float8 lerp(float8 a, float8 b, float8 f) { return a + f * (b - a); }

/// One bit per lane of the result of a comparison.
[[gnu::always_inline]] inline unsigned bits(const integer8& mask) {
#ifdef __AVX__
  return static_cast<unsigned>(__builtin_ia32_movmskps256((float8)mask));
#else
  unsigned result = 0;
  for (int lane = 0; lane < 8; ++lane) result |= static_cast<unsigned>(mask[lane] & 1) << lane;
  return result;
#endif
}
/// True if any lane of a comparison is true; true if all lanes are true.
[[gnu::always_inline]] inline bool any(const integer8& mask) { return bits(mask) != 0; }
[[gnu::always_inline]] inline bool every(const integer8& mask) { return bits(mask) == 255; }

/// Load each lane from memory with one instruction. Without this function, the compiler extracts each lane from the register
/// with three instructions.
template <class T>
[[gnu::always_inline]] inline void by_memory(T& stored) {
  asm("" : "+m"(stored));
}

/// Load the floats at `from` + at[i] and their successors.
template <class Offset>
[[gnu::always_inline]] inline void pairs_at(const float* from, const Offset (&at)[8], float8& a, float8& b) {
  typedef double quads __attribute__((vector_size(32)));  // integers would require one more instruction
  const auto two = [&](int i) {
    double result;
    std::memcpy(&result, from + at[i], sizeof result);
    return result;
  };
  // vshufps operates on halves of a register; this order yields consecutive lanes.
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

/// Strides of planes and rows.
struct voxel_strides {
  std::int64_t z = 0, y = 0;
};

/// Positions of eight samples relative to voxels -1, 0, 1, 2 on each axis: a sample is between the centres of voxels 0 and
/// 1.
struct eight_places {
  float8 fz, fy, fx;      ///< weights of the voxels numbered 1
  std::int32_t first[8];  ///< offsets of the voxels 0 relative to a common voxel

  /// Interpolated values; v is the value of the common voxel.
  [[gnu::always_inline]] inline float8 value(const float* v, const voxel_strides& across) const {
    const float8 low = lerp(row(v), row(v + across.y), fy), high = lerp(row(v + across.z), row(v + across.z + across.y), fy);
    return lerp(low, high, fz);
  }

  /// Values interpolated between neighbours that are not NaN, and the sums of the weights of these neighbours.
  [[gnu::always_inline]] inline float8 value_of_present(const float* v, const voxel_strides& across, float8& share) const {
    float8 sums[4], weights[4];
    for (int k = 0; k < 4; ++k) {
      float8 a, b;
      pairs_at(v + ((k >> 1) * across.z + (k & 1) * across.y), first, a, b);
      const float8 one = all(1.0f);
      weights[k] = lerp(a == a ? one : float8{}, b == b ? one : float8{}, fx);
      sums[k] = lerp(a == a ? a : float8{}, b == b ? b : float8{}, fx);
    }
    share = lerp(lerp(weights[0], weights[1], fy), lerp(weights[2], weights[3], fy), fz);
    const float8 sum = lerp(lerp(sums[0], sums[1], fy), lerp(sums[2], sums[3], fy), fz);
    return share > 0 ? sum / share : float8{};
  }

  /// Twice the gradient per voxel, in the order z, y, x. Each component is the interpolated value one voxel ahead minus the
  /// value one voxel behind.
  /// @return bitwise the result of value()
  [[gnu::always_inline]] inline float8 slope(const float* v, const voxel_strides& across, float8 (&result)[3]) const {
    const float* const behind = v - across.z;
    const float* const ahead = v + 2 * across.z;
    const float8 below = lerp(row(behind), row(behind + across.y), fy), above = lerp(row(ahead), row(ahead + across.y), fy);
    float8 sides[2], low[2], along[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const float* const plane = v + k * across.z;
      float8 a[4], b[4];
      fours_at(plane - 1, first, a);
      fours_at(plane + across.y - 1, first, b);
      const float8 a_here = lerp(a[1], a[2], fx), b_here = lerp(b[1], b[2], fx);
      low[k] = lerp(a_here, b_here, fy);
      sides[k] = lerp(b_here - row(plane - across.y), row(plane + 2 * across.y) - a_here, fy);
      along[k] = lerp(lerp(a[2] - a[0], a[3] - a[1], fx), lerp(b[2] - b[0], b[3] - b[1], fx), fy);
    }
    result[0] = lerp(low[1] - below, above - low[0], fz);
    result[1] = lerp(sides[0], sides[1], fz);
    result[2] = lerp(along[0], along[1], fz);
    return lerp(low[0], low[1], fz);
  }

 private:
  [[gnu::always_inline]] inline float8 row(const float* v) const {
    float8 a, b;
    pairs_at(v, first, a, b);
    return lerp(a, b, fx);
  }
};

}  // namespace osteon::kernel
