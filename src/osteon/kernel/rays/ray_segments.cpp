#include <osteon/kernel/rays/ray_segments.hpp>

#include <limits>

namespace osteon::kernel {

namespace {

double4 rounded_up(double4 a) {
  for (int lane = 0; lane < 4; ++lane) a[lane] = std::ceil(a[lane]);
  return a;
}
double4 rounded_down(double4 a) {
  for (int lane = 0; lane < 4; ++lane) a[lane] = std::floor(a[lane]);
  return a;
}

// For each lane, the first number in [0, count) for which `holds` is true; count if there is none. `holds` must be monotone,
// and `guess` must be close to the result.
template <class F>
double4 first_where(const double4& count, const double4& guess, F&& holds) {
  const double4 zero{}, one = zero + 1;
  double4 i = rounded_up(lesser(greater(guess, zero), count));
  for (lanes4 on;; i -= on ? one : zero) {
    on = (i > 0) & holds(i - 1);
    if (!bits(on)) break;
  }
  for (lanes4 on;; i += on ? one : zero) {
    on = (i < count) & ~holds(i);
    if (!bits(on)) break;
  }
  return i;
}

}  // namespace

box3 thickened(index3 domain, box3 present) {
  for (int axis = 0; axis < 3; ++axis)
    if (domain[axis] < thin) present.begin[axis] -= 2, present.end[axis] += 2;
  return present;
}

std::vector<float> repeat_ends(const float* values, const box3& present, const box3& thick) {
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(thick.volume()));
  const index3 shape = present.shape();
  const auto nearest = [&](std::int64_t i, int axis) {
    return std::clamp<std::int64_t>(i - present.begin[axis], 0, shape[axis] - 1);
  };
  for (std::int64_t z = thick.begin.z; z < thick.end.z; ++z)
    for (std::int64_t y = thick.begin.y; y < thick.end.y; ++y)
      for (std::int64_t x = thick.begin.x; x < thick.end.x; ++x)
        result.push_back(values[(nearest(z, 0) * shape.y + nearest(y, 1)) * shape.x + nearest(x, 2)]);
  return result;
}

ray_segments::ray_segments(index3 domain, const box3& owned, const box3& present, double step_mm, int samples,
                           bool gradients)
    : domain_(domain),
      owned_(owned),
      present_(present),
      step_(step_mm),
      samples_(samples),
      middle_(samples / 2),
      to_middle_(middle_ * step_mm),
      to_last_((samples - 1) * step_mm),
      lowest_inside_(gradients ? 1 : 0),
      across_{present.shape().y * present.shape().x, present.shape().x} {
  for (int i = 0; i < 8; ++i) numbered_[i] = static_cast<float>(std::min(i, samples - 1));
  const std::int64_t stride[3] = {across_.z, across_.y, 1};
  std::int64_t first = 0;
  for (int axis = 0; axis < 3; ++axis) {
    size_[axis] = static_cast<float>(domain[axis]);
    // Positions inside a segment are floats and have rounding errors.
    beyond_inside_[axis] = static_cast<double>(domain[axis] - 1) - lowest_inside_ - 1e-3;
    stride_[axis] = static_cast<double>(stride[axis]);
    first += present.begin[axis] * stride[axis];
  }
  offset_of_first_ = static_cast<double>(first);
}

// Positions of the middle samples of segments. These positions determine the owner of a segment.
double4 ray_segments::middle(const four_rays& rays, const double4& segment, int axis) const {
  const double4 k = lesser(segment * samples_ + middle_, rays.count - 1);
  return rays.origin[axis] + (rays.entry + (k + 0.5) * step_) * rays.direction[axis];
}

// First segment with a middle at or above a plane. For descending rays, the middle is below the plane.
double4 ray_segments::first_beyond(const four_rays& rays, const double4& segments, int axis, double plane) const {
  const double4& direction = rays.direction[axis];
  const double4 there = (plane - rays.origin[axis]) * rays.inverse[axis];
  const double4 guess = ((there - rays.entry) / step_ - 0.5 - middle_) / samples_;
  const double4 last = segments - 1;
  const auto holds = [&](const double4& segment) {
    // All segments between two planes are on one side of the other planes.
    const double4 at = middle(rays, direction == 0 ? last : segment, axis);
    return direction >= 0 ? at >= plane : at < plane;
  };
  return first_where(segments, direction == 0 ? (holds(last) ? double4{} : segments) : guess, holds);
}

// Every operation of middle() is monotone in the segment number, including rounding. Hence the segments of a block form an
// interval, and the intervals of neighbouring blocks are adjacent without gap or overlap.
void ray_segments::put(const ray* const (&along)[4], four_rays& rays) const {
  double4 exit;
  for (int lane = 0; lane < 4; ++lane) {
    for (int axis = 0; axis < 3; ++axis) {
      rays.origin[axis][lane] = along[lane]->origin[axis];
      rays.direction[axis][lane] = along[lane]->direction[axis];
    }
    rays.entry[lane] = along[lane]->entry;
    exit[lane] = along[lane]->exit;
  }
  const double4 zero{};
  for (int axis = 0; axis < 3; ++axis)
    rays.inverse[axis] = rays.direction[axis] == 0 ? zero + 1e300 : 1 / rays.direction[axis];
  const double4 length = (exit - rays.entry) / step_;
  rays.count = first_where(rounded_down(greater(length, zero)) + 2, length - 0.5,
                           [&](const double4& k) { return ~(rays.entry + (k + 0.5) * step_ < exit); });
  rays.count = exit > rays.entry ? rays.count : zero;
  const double4 segments = rounded_up(rays.count / samples_);
  double4 first = zero, last = segments;
  for (int axis = 0; axis < 3; ++axis) {
    // Samples outside of the domain, caused by rounding, belong to the first or last plane.
    const auto low = static_cast<double>(owned_.begin[axis]), high = static_cast<double>(owned_.end[axis]);
    const lanes4 upward = rays.direction[axis] >= 0;
    if (owned_.begin[axis] != 0) {
      const double4 beyond = first_beyond(rays, segments, axis, low);
      first = upward ? greater(first, beyond) : first;
      last = upward ? last : lesser(last, beyond);
    }
    if (owned_.end[axis] != domain_[axis]) {
      const double4 beyond = first_beyond(rays, segments, axis, high);
      first = upward ? first : greater(first, beyond);
      last = upward ? lesser(last, beyond) : last;
    }
  }
  rays.begin = first * samples_;
  rays.end = greater(first, last) * samples_;
  rays.whole = rounded_down(rays.count / samples_) * samples_;
}

ray_segments::part ray_segments::of(const ray& along) const {
  four_rays rays;
  put({&along, &along, &along, &along}, rays);
  const auto segment = [&](const double4& sample) { return static_cast<std::int64_t>(sample[0]) / samples_; };
  part result{&along, static_cast<std::int64_t>(rays.count[0]), segment(rays.begin), segment(rays.end), {}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    result.origin[axis] = along.origin[axis];
    result.direction[axis] = along.direction[axis];
  }
  return result;
}

std::int64_t ray_segments::after_box(const part& p, std::int64_t segment, const double (&low)[3],
                                     const double (&high)[3]) const {
  double leave = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double d = p.along->direction[axis];
    if (d != 0) leave = std::min(leave, ((d > 0 ? high[axis] : low[axis]) - p.along->origin[axis]) / d);
  }
  // Segments that may be outside of the box by rounding are tested again; skipped segments are certainly inside.
  const double next = std::ceil(((leave - p.along->entry) / step_ - 0.5 - middle_ - 1e-6) / samples_);
  return next > static_cast<double>(segment + 1) ? static_cast<std::int64_t>(std::min(next, 1e15)) : segment + 1;
}

}  // namespace osteon::kernel
