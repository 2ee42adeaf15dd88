#pragma once
/// @file
/// Samples of a ray in segments that are independent of the decomposition into blocks.
///
/// Lengths along a ray are in mm, positions in voxels: the voxel (z, y, x) fills [z, z+1) x [y, y+1) x [x, x+1) and its
/// value is at the centre. Sample k of a ray is at entry + (k + 1/2) step, where `entry` is where the ray enters the
/// *domain*. Eight samples in a row (fewer if the step is long) are a segment; it belongs to the block that owns the voxel
/// of its middle sample, and is composited there as a whole: its rounding does not depend on the decomposition.
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

/// Samples in a segment: eight, or as many as fit in eight voxels.
inline int samples_in_segment(double step_voxels) {
  return step_voxels <= 1 ? 8 : std::max(1, static_cast<int>(8 / step_voxels));
}

/// Distance from the block of the voxels that its segments read: half a segment, a neighbour for interpolation, and one more
/// for the gradient. On a surface, with a point up to a step before a segment's first sample, a B-spline reads two voxels
/// around that point, and around one half a voxel below it.
inline int ghosts_needed(double step_voxels) {
  const int behind = samples_in_segment(step_voxels) / 2;
  const double first = (behind + 0.5) * step_voxels, last = (behind - 0.5) * step_voxels;
  const double beyond = std::max({behind * step_voxels, std::hypot(first, 0.5), last + 0.5});
  return static_cast<int>(std::ceil(beyond + 0.5 + 1e-3)) + 1;
}

/// Along an axis with fewer voxels than this, the present values extend two voxels beyond the domain at both ends, by
/// repetition of the first and last ones.
inline constexpr std::int64_t thin = 4;
/// `present` with these voxels; and the values, of shape `thick`.
box3 thickened(index3 domain, box3 present);
std::vector<float> repeat_ends(const float* values, const box3& present, const box3& thick);

/// A bit for each lane.
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

/// One instruction if available; gcc generates four.
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

/// Lane by lane; b if a is NaN.
[[gnu::always_inline]] inline double4 lesser(const double4& a, const double4& b) { return a < b ? a : b; }
[[gnu::always_inline]] inline double4 greater(const double4& a, const double4& b) { return a > b ? a : b; }

/// Four rays, one in each lane.
struct four_rays {
  double4 origin[3], direction[3], inverse[3];  ///< z, y, x: voxels, voxels per mm, mm per voxel
  double4 entry;
  /// Number of the first sample of the current segment; of the one after the block's last segment; of the one after the last
  /// segment that has all its samples; and of samples in the domain.
  double4 begin, end, whole, count;
  double4 at[3];  ///< z, y, x of the first sample of the current segment (voxels)
};

/// Finds the segments of one block on a ray, and the voxels around their samples.
class ray_segments {
 public:
  /// @param gradients true if gradients are also computed: segments at an end of the domain begin a voxel before it
  ray_segments(index3 domain, const box3& owned, const box3& present, double step_mm, int samples, bool gradients);

  /// Ray with its number of samples in the domain and its segments in the block.
  struct part {
    const ray* along;
    std::int64_t count;
    std::int64_t first, last;
    double4 origin, direction;  // z, y, x, 0
  };
  part of(const ray& along) const;
  /// The same for four rays; their first segments come first.
  void put(const ray* const (&along)[4], four_rays& rays) const;

  /// First segment after `segment` whose middle may be outside of the box [low, high) (voxels), which contains that of
  /// `segment`.
  std::int64_t after_box(const part& p, std::int64_t segment, const double (&low)[3], const double (&high)[3]) const;

  /// First sample of a segment, and middle one with the ray continued beyond the domain: z, y, x, 0 (voxels).
  [[gnu::always_inline]] inline double4 beginning(const part& p, std::int64_t segment) const {
    const double t = p.along->entry + (static_cast<double>(segment * samples_) + 0.5) * step_;
    return p.origin + t * p.direction;
  }
  [[gnu::always_inline]] inline double4 half_way(const part& p, const double4& first) const {
    return first + to_middle_ * p.direction;
  }

  /// Compute the first samples of the current segments. @param middles middles of the segments, from half_way()
  [[gnu::always_inline]] inline void locate(four_rays& rays, double4 (&middles)[3]) const {
    const double4 t = rays.entry + (rays.begin + 0.5) * step_;
    for (int axis = 0; axis < 3; ++axis) {
      rays.at[axis] = rays.origin[axis] + t * rays.direction[axis];
      middles[axis] = rays.at[axis] + to_middle_ * rays.direction[axis];
    }
  }

  /// Advance the lanes in `which` to after_box(). Lanes without a segment there have begin = end.
  [[gnu::always_inline]] inline void leave_box(four_rays& rays, const double4 (&low)[3], const double4 (&high)[3],
                                               const lanes4& which) const {
    double4 leave = all(std::numeric_limits<double>::infinity());
    for (int axis = 0; axis < 3; ++axis) {
      const double4 at = ((rays.inverse[axis] > 0 ? high[axis] : low[axis]) - rays.origin[axis]) * rays.inverse[axis];
      leave = at < leave ? at : leave;
    }
    double4 next = ((leave - rays.entry) / step_ - 0.5 - middle_ - 1e-6) / samples_;
    for (int lane = 0; lane < 4; ++lane) next[lane] = std::ceil(next[lane]) * samples_;
    next = next > rays.begin + samples_ ? next : rays.begin + samples_;
    next = next < rays.end ? next : rays.end;
    rays.begin = which ? next : rays.begin;
  }

  /// Data for the sample positions of four segments.
  struct four_places {
    float4 from[3];    ///< z, y, x of the first samples, from a voxel that all samples of the segment share
    float4 base[3];    ///< that voxel
    double4 shared;    ///< offset of that voxel among the values that are present
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

  /// Compute the samples of a segment that touches no end of the domain.
  /// @param from of the first one, from the voxel that they share @param step from one to the next; z, y, x (voxels)
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

  /// The same for a segment at an end of the domain, or with fewer samples: lanes beyond these repeat the last one. Values
  /// are constant beyond the centres of the outermost voxels: samples are moved to them.
  /// @param base common voxel @param kept distance from the ends: 0, or 1 with gradients, which are evaluated one voxel from
  /// the end of the domain
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
      // The last of two neighbours may be the last voxel.
      float8 low = at < highest - 1 ? at : highest - 1;
      low = low > lowest ? low : lowest;
      cell[axis] = __builtin_convertvector(low, integer8);
      *weight[axis] = at - __builtin_convertvector(cell[axis], float8);
    }
    set_first(cell, samples);
  }

  /// Statistics of a whole segment.
  int samples() const { return samples_; }
  double step_mm() const { return step_; }
  /// Statistics of the present values.
  const voxel_strides& across() const { return across_; }

  /// The voxels around a segment's samples, as offsets from voxel `shared` of the values that are present.
  /// @param first its beginning()
  /// @return number of samples; lanes beyond it repeat the last sample
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
  // Common voxel of the samples of a segment: that of its lowest sample, within the domain.
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
  double to_middle_, to_last_;  // from a segment's first sample [mm]
  float8 numbered_;             // 0, 1, ...; of the samples of a segment
  float size_[3];               // of the domain
  // Samples touch no end of the domain from here; up to there (z, y, x).
  double lowest_inside_, beyond_inside_[3];
  double stride_[3];
  double offset_of_first_;  // of the values that are present, from voxel (0, 0, 0)
  voxel_strides across_;
};

}  // namespace osteon::kernel
