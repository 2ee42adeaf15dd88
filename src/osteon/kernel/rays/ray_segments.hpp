#pragma once
/// @file
/// Division of the samples of a ray into segments, independent of the decomposition into blocks.
///
/// Lengths along a ray are in mm, and positions are in voxels. The voxel (z, y, x) fills [z, z+1) x [y, y+1) x [x, x+1); the
/// value of a voxel is at its centre. Sample k of a ray is at entry + (k + 1/2) step, where the ray enters the *domain* at
/// `entry`. Eight consecutive samples (fewer if the step is long) form a segment. The block that owns the voxel of the
/// middle sample composites the whole segment; rounding therefore does not depend on the decomposition.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <osteon/base/box.hpp>
#include <osteon/kernel/lanes.hpp>
#include <osteon/kernel/rays/eight_samples.hpp>
#include <vector>

namespace osteon::kernel {

typedef double double4 __attribute__((vector_size(32)));
typedef std::int32_t integer4 __attribute__((vector_size(16)));
typedef std::int64_t lanes4 __attribute__((vector_size(32)));  ///< result of a comparison of double4: 0 or -1

struct ray {
  vector3 origin;              ///< voxels
  vector3 direction;           ///< voxels per mm
  double entry = 0, exit = 0;  ///< part inside the domain [mm]; empty if exit <= entry
};

/// Number of samples in a segment: eight, or fewer such that the segment fits into eight voxels.
inline int samples_in_segment(double step_voxels) {
  return step_voxels <= 1 ? 8 : std::max(1, static_cast<int>(8 / step_voxels));
}

/// Number of ghost voxels read by the segments of a block: half a segment, one neighbour for interpolation, and one further
/// neighbour for the gradient. Surfaces need more: a surface point may be up to a step before the first sample of a segment.
/// A B-spline reads two voxels around the surface point, and around a point half a voxel below the surface point.
inline int ghosts_needed(double step_voxels) {
  const int behind = samples_in_segment(step_voxels) / 2;
  const double first = (behind + 0.5) * step_voxels, last = (behind - 0.5) * step_voxels;
  const double beyond = std::max({behind * step_voxels, std::hypot(first, 0.5), last + 0.5});
  return static_cast<int>(std::ceil(beyond + 0.5 + 1e-3)) + 1;
}

/// An axis with fewer voxels is thin. Along a thin axis, the first and last voxels are repeated; the present values then
/// extend two voxels beyond the domain at both ends.
inline constexpr std::int64_t thin = 4;
/// `thickened` extends `present` by the repeated voxels. The second function returns the values in the shape `thick`.
box3 thickened(index3 domain, box3 present);
std::vector<float> repeat_ends(const float* values, const box3& present, const box3& thick);

/// One bit per lane of a mask.
[[gnu::always_inline]] inline unsigned bits(const lanes4& mask) {
#ifdef __AVX__
  return static_cast<unsigned>(__builtin_ia32_movmskpd256((double4)mask));
#else
  return static_cast<unsigned>((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}
[[gnu::always_inline]] inline unsigned bits(const integer4& mask) {
#ifdef __AVX__
  return static_cast<unsigned>(__builtin_ia32_movmskps((float4)mask));
#else
  return static_cast<unsigned>((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/// Uses one instruction if available; gcc generates four.
[[gnu::always_inline]] inline double4 to_double(const integer4& a) {
#if defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_cvtdq2pd256(a);
#else
  return __builtin_convertvector(a, double4);
#endif
}
[[gnu::always_inline]] inline double4 to_double(const float4& a) {
#if defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_cvtps2pd256(a);
#else
  return __builtin_convertvector(a, double4);
#endif
}
[[gnu::always_inline]] inline double4 all(double a) { return double4{a, a, a, a}; }

/// Minimum by lanes; b if a is NaN.
[[gnu::always_inline]] inline double4 lesser(const double4& a, const double4& b) { return a < b ? a : b; }
[[gnu::always_inline]] inline double4 greater(const double4& a, const double4& b) { return a > b ? a : b; }

/// Four rays, one in each lane.
struct four_rays {
  double4 origin[3], direction[3], inverse[3];  ///< z, y, x: voxels, voxels per mm, mm per voxel
  double4 entry;
  /// Sample numbers by lane: first sample of the current segment, first sample after the block's last segment, and first
  /// sample after the last full segment; and the number of samples in the domain.
  double4 begin, end, whole, count;
  double4 at[3];  ///< z, y, x of the first sample of the current segment (voxels)
};

/// Finds the segments of a ray in one block, and the voxels around the samples of these segments.
class ray_segments {
 public:
  /// @param gradients true if gradients are also computed: the end region of the domain is then one voxel larger
  ray_segments(index3 domain, const box3& owned, const box3& present, double step_mm, int samples, bool gradients);

  /// A ray with its number of samples in the domain and its segments in the block.
  struct part {
    const ray* along;
    std::int64_t count;
    std::int64_t first, last;
    double4 origin, direction;  // z, y, x, 0
  };
  part of(const ray& along) const;
  /// As the function for one ray, for four rays. The function sets the first segments as current segments.
  void put(const ray* const (&along)[4], four_rays& rays) const;

  /// First segment after `segment` with a middle that may be outside of the box [low, high) [voxels]. The box must contain
  /// the middle of `segment`.
  std::int64_t after_box(const part& p, std::int64_t segment, const double (&low)[3], const double (&high)[3]) const;

  /// First and middle sample of a segment, on the ray extended beyond the domain: z, y, x, 0 [voxels].
  [[gnu::always_inline]] inline double4 beginning(const part& p, std::int64_t segment) const {
    const double t = p.along->entry + (static_cast<double>(segment * samples_) + 0.5) * step_;
    return p.origin + t * p.direction;
  }
  [[gnu::always_inline]] inline double4 half_way(const part& p, const double4& first) const {
    return first + to_middle_ * p.direction;
  }

  /// Compute the first samples of the current segments. @param middles middles of the segments
  [[gnu::always_inline]] inline void locate(four_rays& rays, double4 (&middles)[3]) const {
    const double4 t = rays.entry + (rays.begin + 0.5) * step_;
    for (int axis = 0; axis < 3; ++axis) {
      rays.at[axis] = rays.origin[axis] + t * rays.direction[axis];
      middles[axis] = rays.at[axis] + to_middle_ * rays.direction[axis];
    }
  }

  /// Advance the lanes in `selected` to after_box(). Lanes without a further segment have begin = end.
  [[gnu::always_inline]] inline void leave_box(four_rays& rays, const double4 (&low)[3], const double4 (&high)[3],
                                               const lanes4& selected) const {
    double4 leave = all(std::numeric_limits<double>::infinity());
    for (int axis = 0; axis < 3; ++axis) {
      const double4 at = ((rays.inverse[axis] > 0 ? high[axis] : low[axis]) - rays.origin[axis]) * rays.inverse[axis];
      leave = at < leave ? at : leave;
    }
    double4 next = ((leave - rays.entry) / step_ - 0.5 - middle_ - 1e-6) / samples_;
    for (int lane = 0; lane < 4; ++lane) next[lane] = std::ceil(next[lane]) * samples_;
    next = next > rays.begin + samples_ ? next : rays.begin + samples_;
    next = next < rays.end ? next : rays.end;
    rays.begin = selected ? next : rays.begin;
  }

  /// Data for the sample positions of four segments.
  struct four_places {
    float4 from[3];    ///< z, y, x of the first samples, relative to a voxel common to all samples of the segment
    float4 base[3];    ///< the common voxel
    double4 shared;    ///< offset of the common voxel in the present values
    lanes4 at_an_end;  ///< lanes of segments with fewer samples, or at an end of the domain
  };
  [[gnu::always_inline]] inline four_places place(const four_rays& rays) const {
    four_places result;
    result.shared = all(-offset_of_first_);
    result.at_an_end = rays.begin >= rays.whole;
    for (int axis = 0; axis < 3; ++axis) {
      const double4 first = rays.at[axis] - 0.5, last = first + to_last_ * rays.direction[axis];
      const double4 lowest = lesser(first, last);
      result.at_an_end |= (lowest < lowest_inside_) | (greater(first, last) >= beyond_inside_[axis]);
      const double4 base = to_double(first_voxel(lowest));
      result.from[axis] = __builtin_convertvector(first - base, float4);
      result.base[axis] = __builtin_convertvector(base, float4);
      result.shared += base * stride_[axis];
    }
    return result;
  }

  /// Compute the samples of a segment that does not reach an end of the domain.
  /// @param from first sample relative to the common voxel @param step step between samples; z, y, x [voxels]
  [[gnu::always_inline]] inline void place_inside(const float (&from)[3], const float (&step)[3],
                                                  eight_places& samples) const {
    integer8 cell[3];
    float8* const weight[3] = {&samples.fz, &samples.fy, &samples.fx};
    for (int axis = 0; axis < 3; ++axis) {
      const float8 at = all(from[axis]) + numbered_ * step[axis];
      cell[axis] = __builtin_convertvector(at, integer8);
      *weight[axis] = at - __builtin_convertvector(cell[axis], float8);
    }
    set_first(cell, samples);
  }

  /// Compute the samples of a segment at an end of the domain, or with fewer samples; unused lanes repeat the last sample.
  /// Values are constant beyond the centres of the outermost voxels; samples beyond these centres are therefore moved to the
  /// centres.
  /// @param base common voxel @param kept distance of samples from the ends: 0, or 1 with gradients, because gradients are
  /// evaluated one voxel from the end of the domain
  [[gnu::always_inline]] inline void place_at_an_end(const float (&from)[3], const float (&step)[3], const float (&base)[3],
                                                     int count, int kept, eight_places& samples) const {
    const auto last = static_cast<float>(count - 1);
    const float8 number = numbered_ < last ? numbered_ : all(last);
    integer8 cell[3];
    float8* const weight[3] = {&samples.fz, &samples.fy, &samples.fx};
    for (int axis = 0; axis < 3; ++axis) {
      const float ends = size_[axis] < static_cast<float>(thin) ? 0.0f : static_cast<float>(kept);
      const float8 lowest = all(ends - base[axis]), highest = all(size_[axis] - 1 - ends - base[axis]);
      float8 at = all(from[axis]) + number * step[axis];
      at = at < highest ? at : highest;
      at = at > lowest ? at : lowest;
      // The upper neighbour may be the last voxel.
      float8 low = at < highest - 1 ? at : highest - 1;
      low = low > lowest ? low : lowest;
      cell[axis] = __builtin_convertvector(low, integer8);
      *weight[axis] = at - __builtin_convertvector(cell[axis], float8);
    }
    set_first(cell, samples);
  }

  /// Number of samples of a full segment.
  int samples() const { return samples_; }
  double step_mm() const { return step_; }
  /// Strides of the present values.
  const voxel_strides& across() const { return across_; }

  /// The voxels around a segment's samples, as offsets relative to voxel `shared` of the present values.
  /// @param first beginning() of the segment @return number of samples; unused lanes repeat the last sample
  [[gnu::always_inline]] inline int place(const part& p, std::int64_t segment, const double4& first, eight_places& samples,
                                          std::int64_t& shared) const {
    const double4 begin = first - 0.5, end = begin + to_last_ * p.direction;
    const integer4 voxel = first_voxel(lesser(begin, end));
    const double4 offset = begin - to_double(voxel);
    float from[3], step[3], base[3];
    for (int axis = 0; axis < 3; ++axis) {
      from[axis] = static_cast<float>(offset[axis]);
      step[axis] = static_cast<float>(step_ * p.direction[axis]);
      base[axis] = static_cast<float>(voxel[axis]);
    }
    const int count = static_cast<int>(std::min<std::int64_t>(samples_, p.count - segment * samples_));
    place_at_an_end(from, step, base, count, 0, samples);
    shared =
        (voxel[0] - present_.begin.z) * across_.z + (voxel[1] - present_.begin.y) * across_.y + voxel[2] - present_.begin.x;
    return count;
  }

 private:
  // Common voxel of the samples of a segment: the voxel of the lowest sample, clipped to the domain.
  [[gnu::always_inline]] static inline integer4 first_voxel(const double4& lowest) {
    return __builtin_convertvector(greater(lowest, double4{}), integer4);
  }
  [[gnu::always_inline]] inline void set_first(const integer8 (&cell)[3], eight_places& places) const {
    const integer8 first =
        cell[0] * static_cast<std::int32_t>(across_.z) + cell[1] * static_cast<std::int32_t>(across_.y) + cell[2];
    std::memcpy(places.first, &first, sizeof first);
    by_memory(places.first);
  }
  double4 middle(const four_rays& rays, const double4& segment, int axis) const;
  double4 first_beyond(const four_rays& rays, const double4& segments, int axis, double plane) const;

  index3 domain_;
  box3 owned_, present_;
  double step_;
  int samples_, middle_;
  double to_middle_, to_last_;  // distances from the first sample of a segment [mm]
  float8 numbered_;             // 0, 1, ... for the samples of a segment
  float size_[3];               // size of the domain
  // Range in which samples do not reach an end of the domain (z, y, x).
  double lowest_inside_, beyond_inside_[3];
  double stride_[3];
  double offset_of_first_;  // offset of the first present value relative to voxel (0, 0, 0)
  voxel_strides across_;
};

}  // namespace osteon::kernel
