#pragma once
/// @file
/// The samples of a ray, in segments that do not depend on how the domain is dealt out to blocks.
///
/// Lengths along a ray are in mm, positions in voxels: the voxel (z, y, x) fills [z, z+1) x [y, y+1) x [x, x+1) and
/// its value sits in the middle. Sample k of a ray lies at entry + (k + 1/2) step, where `entry` is where the ray
/// enters the *domain*. Eight samples in a row (fewer if the step is long) are a segment; it belongs to the block that
/// owns the voxel of its middle sample, and is added up there as a whole: nothing within it is rounded differently where
/// blocks are cut differently.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <osteon/base/box.hpp>
#include <osteon/kernel/eight_samples.hpp>
#include <osteon/kernel/lanes.hpp>
#include <vector>

namespace osteon::kernel {

typedef double double4 __attribute__((vector_size(32)));
typedef std::int32_t integer4 __attribute__((vector_size(16)));
typedef std::int64_t lanes4 __attribute__((vector_size(32)));  ///< what a comparison of double4 says: 0 or -1

struct ray {
  vector3 origin;              ///< voxels
  vector3 direction;           ///< voxels per mm
  double entry = 0, exit = 0;  ///< part inside the domain [mm]; empty if exit <= entry
};

/// Samples in a segment: eight, or as many as fit in eight voxels.
inline int samples_in_segment(double step_voxels) {
  return step_voxels <= 1 ? 8 : std::max(1, static_cast<int>(8 / step_voxels));
}

/// How far from the block the voxels lie that its segments read: half a segment, a neighbour to interpolate with, and one
/// more for the gradient.
inline int ghosts_needed(double step_voxels) {
  const int behind = samples_in_segment(step_voxels) / 2;
  return static_cast<int>(std::ceil(behind * step_voxels + 0.5 + 1e-3)) + 1;
}

/// Along an axis on which the domain has less than this number of voxels, the values that are present begin two voxels
/// before it and end two after it, as if its first and last ones were repeated.
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

/// Whether a number is not 0.
[[gnu::always_inline]] inline bool any(const integer4& mask) {
  typedef std::int64_t wide __attribute__((vector_size(16)));
  const auto m = (wide)mask;
  return (m[0] | m[1]) != 0;
}

/// Four rays side by side, one in each lane.
struct four_rays {
  double4 origin[3]{}, direction[3]{}, inverse[3]{};  ///< z, y, x: voxels, voxels per mm, mm per voxel
  double4 entry{};
  /// Number of the first sample of the segment at hand; of the one after the block's last segment; and of the one after the
  /// last segment that has all its samples.
  double4 begin{}, end{}, whole{};
  double4 at[3]{};  ///< z, y, x of that sample (voxels)
};

/// Finds the segments of one block on a ray, and the voxels around their samples.
class ray_segments {
 public:
  ray_segments(index3 domain, const box3& owned, const box3& present, double step_mm, int samples);

  /// A ray, how many samples it has in the domain, and which segments are the block's.
  struct part {
    const ray* along = nullptr;
    std::int64_t count = 0;
    std::int64_t first = 0, last = 0;
    std::int64_t whole = 0;  // segments before this one have all their samples
    // z, y, x, 0 of the ray, and of what a whole segment spans: its samples' distances from the first one (voxels), the
    // last one's and the middle one's, and the voxels that it may reach beyond the lowest one.
    double4 origin, direction, span, half;
    float8 distance[3];
    integer4 reach;
  };
  part of(const ray& along) const;

  /// Where the middle sample of a segment lies: the one that says whose it is.
  double middle(const part& p, std::int64_t segment, int axis) const {
    return position(*p.along, std::min(segment * samples_ + middle_, p.count - 1), axis);
  }
  /// The first segment after `segment` that may have its middle outside of the box [low, high) (voxels), which has that of
  /// `segment` inside.
  std::int64_t after_box(const part& p, std::int64_t segment, const double (&low)[3], const double (&high)[3]) const;

  /// The first sample of a segment, and the middle one as if the ray went on beyond the domain: z, y, x, 0 (voxels).
  [[gnu::always_inline]] inline double4 beginning(const part& p, std::int64_t segment) const {
    const double t = p.along->entry + (static_cast<double>(segment * samples_) + 0.5) * step_;
    return p.origin + t * p.direction;
  }
  [[gnu::always_inline]] inline double4 half_way(const part& p, const double4& first) const { return first + p.half; }

  /// Put a ray into a lane; its first segment comes first.
  void put(const part& p, four_rays& rays, int lane) const;

  /// Find where the segments at hand begin. @param middles of the segments, as half_way()
  [[gnu::always_inline]] inline void locate(four_rays& rays, double4 (&middles)[3]) const {
    const double4 t = rays.entry + (rays.begin + 0.5) * step_;
    for (int axis = 0; axis < 3; ++axis) {
      rays.at[axis] = rays.origin[axis] + t * rays.direction[axis];
      middles[axis] = rays.at[axis] + to_middle_ * rays.direction[axis];
    }
  }

  /// Of the lanes named by `which`, go to after_box(). Those without a segment there have begin = end.
  [[gnu::always_inline]] inline void leave_box(four_rays& rays, const double4 (&low)[3], const double4 (&high)[3],
                                               const lanes4& which) const {
    double4 leave = double4{} + std::numeric_limits<double>::infinity();
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

  /// What place() finds out first.
  struct four_places {
    float4 from[3];    ///< z, y, x of the first samples, from a voxel that all samples of the segment share
    double4 shared;    ///< offset of that voxel
    lanes4 at_an_end;  ///< whose segments have fewer samples, or touch an end of the domain: nothing else holds for them
  };
  [[gnu::always_inline]] inline four_places place(const four_rays& rays) const {
    four_places result;
    result.shared = double4{} - offset_of_first_;
    result.at_an_end = rays.begin >= rays.whole;
    for (int axis = 0; axis < 3; ++axis) {
      const double4 first = rays.at[axis] - 0.5, last = first + to_last_ * rays.direction[axis];
      const double4 lowest = first < last ? first : last, highest = first < last ? last : first;
      result.at_an_end |= (lowest < 1) | (highest >= beyond_[axis]);
      const double4 base = __builtin_convertvector(__builtin_convertvector(lowest, integer4), double4);
      result.from[axis] = __builtin_convertvector(first - base, float4);
      result.shared += base * stride_[axis];
    }
    return result;
  }
  /// The places of the samples of a segment that touches no end.
  [[gnu::always_inline]] inline void place_inside(const part& p, const float (&from)[3], eight_samples& samples) const {
    samples.inside = true;
    samples.across_z = across_z_;
    samples.across_y = across_y_;
    integer8 cell[3];
    float8* const weight[3] = {&samples.at.fz, &samples.at.fy, &samples.at.fx};
    for (int axis = 0; axis < 3; ++axis) {
      const float8 at = all(from[axis]) + p.distance[axis];
      cell[axis] = __builtin_convertvector(at, integer8);
      *weight[axis] = at - __builtin_convertvector(cell[axis], float8);
    }
    set_first(cell, samples.at);
  }
  /// The same as place(), of the last segment of a ray, which may be short, and of those that touch an end of the domain.
  int place_at_an_end(const part& p, std::int64_t segment, const double4& first, bool gradients, eight_samples& samples,
                      std::int64_t& shared) const;
  /// Of a whole segment.
  int samples() const { return samples_; }

  /// The voxels around a segment's samples, as offsets from voxel `shared` of the values that are present.
  /// @param first its beginning()
  /// @param gradients whether they will be asked for
  /// @return number of samples; lanes beyond it repeat the last sample
  [[gnu::always_inline]] inline int place(const part& p, std::int64_t segment, const double4& first, bool gradients,
                                          eight_samples& samples, std::int64_t& shared) const {
    const double4 begin = first - 0.5, end = begin + p.span, lowest = begin < end ? begin : end;
    const integer4 base = __builtin_convertvector(lowest, integer4);  // rounded down, if it counts: then it is positive
    const integer4 outside = (base < lowest_inside_) | (base + p.reach >= beyond_inside_);
    if (segment >= p.whole || outside[0] | outside[1] | outside[2])
      return place_at_an_end(p, segment, first, gradients, samples, shared);
    samples.inside = true;
    samples.across_z = across_z_;
    samples.across_y = across_y_;
    const double4 from = begin - __builtin_convertvector(base, double4);
    integer8 cell[3];
    float8* const weight[3] = {&samples.at.fz, &samples.at.fy, &samples.at.fx};
    for (int axis = 0; axis < 3; ++axis) {
      const float8 at = all(static_cast<float>(from[axis])) + p.distance[axis];
      cell[axis] = __builtin_convertvector(at, integer8);
      *weight[axis] = at - __builtin_convertvector(cell[axis], float8);
    }
    set_first(cell, samples.at);
    shared =
        (base[0] - present_.begin.z) * across_z_ + (base[1] - present_.begin.y) * across_y_ + base[2] - present_.begin.x;
    return samples_;
  }

 private:
  double position(const ray& along, std::int64_t k, int axis) const {
    const double t = along.entry + (static_cast<double>(k) + 0.5) * step_;
    return along.origin[axis] + t * along.direction[axis];
  }
  [[gnu::always_inline]] inline void set_first(const integer8 (&cell)[3], eight_places& places) const {
    const integer8 first =
        cell[0] * static_cast<std::int32_t>(across_z_) + cell[1] * static_cast<std::int32_t>(across_y_) + cell[2];
    std::memcpy(places.first, &first, sizeof first);
  }
  index3 domain_;
  box3 owned_, present_;
  double step_;
  int samples_, middle_;
  double to_middle_, to_last_;              // from a segment's first sample [mm]
  double beyond_[3], stride_[3];            // z, y, x: from where on samples touch the domain's end; strides again
  double offset_of_first_;                  // of the values that are present, from voxel (0, 0, 0)
  std::int64_t across_z_, across_y_;        // strides of the values that are present
  integer4 lowest_inside_, beyond_inside_;  // lowest voxels whose neighbours are all in the domain; first ones that are not
};

}  // namespace osteon::kernel
