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
#include <osteon/base/box.hpp>
#include <osteon/kernel/eight_samples.hpp>

namespace osteon::kernel {

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

/// Finds the segments of one block on a ray, and the voxels around their samples.
class ray_segments {
 public:
  ray_segments(index3 domain, const box3& owned, const box3& present, double step_mm, int samples)
      : domain_(domain), owned_(owned), present_(present), step_(step_mm), samples_(samples), middle_(samples / 2) {}

  /// A ray, how many samples it has in the domain, and which segments are the block's.
  struct part {
    const ray& along;
    std::int64_t count;
    std::int64_t first, last;
  };
  part of(const ray& along) const;

  /// Where the middle sample of a segment lies: the one that says whose it is.
  double middle(const part& p, std::int64_t segment, int axis) const {
    return position(p.along, std::min(segment * samples_ + middle_, p.count - 1), axis);
  }
  /// The first segment after `segment` that may have its middle outside of the box [low, high) (voxels), which has that of
  /// `segment` inside.
  std::int64_t after_box(const part& p, std::int64_t segment, const double (&low)[3], const double (&high)[3]) const;

  /// The voxels around a segment's samples, as offsets from voxel `shared` of the values that are present.
  /// @return number of samples; lanes beyond it repeat the last sample
  [[gnu::always_inline]] inline int place(const part& p, std::int64_t segment, eight_samples& samples,
                                          std::int64_t& shared) const {
    const std::int64_t k = segment * samples_;
    const int count = static_cast<int>(std::min<std::int64_t>(samples_, p.count - k));
    constexpr float8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
    const auto last = static_cast<float>(count - 1);
    const float8 steps = numbered > last ? all(last) : numbered;
    integer8 cell[3];
    float8* const weight[3] = {&samples.fz, &samples.fy, &samples.fx};
    std::int64_t base[3];
    samples.inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      const double step = step_ * p.along.direction[axis];
      const double begin = position(p.along, k, axis) - 0.5, end = begin + (count - 1) * step;
      const double low = std::floor(std::min(begin, end));
      base[axis] = static_cast<std::int64_t>(low);
      const float8 at = all(static_cast<float>(begin - low)) + steps * static_cast<float>(step);
      cell[axis] = __builtin_convertvector(at, integer8);
      *weight[axis] = at - __builtin_convertvector(cell[axis], float8);
      const auto reach = static_cast<std::int64_t>(std::max(begin, end) - low) + 3;
      samples.inside = samples.inside && base[axis] > 0 && base[axis] + reach < domain_[axis];
    }
    const index3 shape = present_.shape();
    const auto across_z = static_cast<std::int32_t>(shape.y * shape.x), across_y = static_cast<std::int32_t>(shape.x);
    if (samples.inside) {
      const integer8 first = cell[0] * across_z + cell[1] * across_y + cell[2];
      for (int i = 0; i < 8; ++i) samples.first[i] = first[i];
      samples.across_z = across_z;
      samples.across_y = across_y;
    } else {
      integer8(*const offsets[3])[4] = {&samples.z, &samples.y, &samples.x};
      const std::int32_t stride[3] = {across_z, across_y, 1};
      for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 4; ++i)
          (*offsets[axis])[i] =
              clamp(cell[axis] + (i - 1), near(-base[axis]), near(domain_[axis] - 1 - base[axis])) * stride[axis];
    }
    shared = ((base[0] - present_.begin.z) * shape.y + base[1] - present_.begin.y) * shape.x + base[2] - present_.begin.x;
    return count;
  }

 private:
  double position(const ray& along, std::int64_t k, int axis) const {
    const double t = along.entry + (static_cast<double>(k) + 0.5) * step_;
    return along.origin[axis] + t * along.direction[axis];
  }
  // Voxels of a segment are within a few of its first, so larger distances are all the same.
  static std::int32_t near(std::int64_t distance) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(distance, -1024, 1024));
  }

  index3 domain_;
  box3 owned_, present_;
  double step_;
  int samples_, middle_;
};

}  // namespace osteon::kernel
