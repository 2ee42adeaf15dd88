#include <osteon/kernel/ray_segments.hpp>

#include <limits>

namespace osteon::kernel {

namespace {

// The first number in [0, count) for which `holds`, which holds for all numbers after it; `guess` is near.
template <class F>
std::int64_t first_where(std::int64_t count, double guess, F&& holds) {
  std::int64_t i = guess > 0 ? (guess < static_cast<double>(count) ? static_cast<std::int64_t>(guess) : count) : 0;
  while (i > 0 && holds(i - 1)) --i;
  while (i < count && !holds(i)) ++i;
  return i;
}

// Voxels of a segment are within a few of its first, so larger distances are all the same.
std::int32_t near(std::int64_t distance) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(distance, -1024, 1024));
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

ray_segments::ray_segments(index3 domain, const box3& owned, const box3& present, double step_mm, int samples)
    : domain_(domain),
      owned_(owned),
      present_(present),
      step_(step_mm),
      samples_(samples),
      middle_(samples / 2),
      to_middle_(middle_ * step_mm),
      to_last_((samples - 1) * step_mm),
      across_z_(present.shape().y * present.shape().x),
      across_y_(present.shape().x),
      lowest_inside_{1, 1, 1, 0},
      beyond_inside_{static_cast<std::int32_t>(domain.z), static_cast<std::int32_t>(domain.y),
                     static_cast<std::int32_t>(domain.x), 0} {
  const std::int64_t stride[3] = {across_z_, across_y_, 1};
  std::int64_t first = 0;
  for (int axis = 0; axis < 3; ++axis) {
    beyond_[axis] = static_cast<double>(domain[axis] - 3);
    stride_[axis] = static_cast<double>(stride[axis]);
    first += present.begin[axis] * stride[axis];
  }
  offset_of_first_ = static_cast<double>(first);
}

// Beyond the middles of its outermost voxels the domain goes on as it is there: samples are moved to them. Gradients are
// those that the domain has one voxel from its end.
int ray_segments::place_at_an_end(const part& p, std::int64_t segment, const double4& first, bool gradients,
                                  eight_samples& samples, std::int64_t& shared) const {
  const int count = static_cast<int>(std::min<std::int64_t>(samples_, p.count - segment * samples_));
  constexpr integer8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
  const integer8 beyond = numbered >= count;
  float8* const weight[2][3] = {{&samples.at.fz, &samples.at.fy, &samples.at.fx},
                                {&samples.near.fz, &samples.near.fy, &samples.near.fx}};
  const std::int64_t stride[3] = {across_z_, across_y_, 1};
  samples.inside = false;
  samples.across_z = across_z_;
  samples.across_y = across_y_;
  shared = 0;
  integer8 cells[2][3];
  for (int axis = 0; axis < 3; ++axis) {
    const float8& distance = p.distance[axis];
    const float last = distance[count - 1];
    const double begin = first[axis] - 0.5, low = std::floor(std::min(begin, begin + static_cast<double>(last)));
    const auto base = static_cast<std::int64_t>(low);
    const float8 at = all(static_cast<float>(begin - low)) + (beyond ? all(last) : distance);
    for (int kept = 0; kept <= int{gradients}; ++kept) {  // distance from the ends
      const std::int64_t least_voxel = domain_[axis] < thin ? 0 : kept, most_voxel = domain_[axis] - 1 - least_voxel;
      const std::int32_t lowest = near(least_voxel - base), highest = near(most_voxel - base);
      const auto least = static_cast<float>(lowest), most = static_cast<float>(highest);
      float8 inside = at > most ? all(most) : at;
      inside = inside < least ? all(least) : inside;
      // The last of two neighbours may be the last voxel.
      const integer8 cell = clamp(__builtin_convertvector(inside, integer8), lowest, std::max(lowest, highest - 1));
      *weight[kept][axis] = inside - __builtin_convertvector(cell, float8);
      cells[kept][axis] = cell;
    }
    shared += (base - present_.begin[axis]) * stride[axis];
  }
  set_first(cells[0], samples.at);
  if (gradients) set_first(cells[1], samples.near);
  return count;
}

// Every operation of position() is monotone in k, rounding included, so the segments of a block are an interval, and the
// intervals of two neighbouring blocks meet without gap or overlap.
ray_segments::part ray_segments::of(const ray& along) const {
  part result;
  result.along = &along;
  if (!(along.exit > along.entry)) return result;
  constexpr float8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto last = static_cast<float>(samples_ - 1);
  const float8 steps = numbered > last ? all(last) : numbered;
  for (int axis = 0; axis < 3; ++axis) {
    const double step = step_ * along.direction[axis];
    result.origin[axis] = along.origin[axis];
    result.direction[axis] = along.direction[axis];
    result.span[axis] = (samples_ - 1) * step;
    result.half[axis] = middle_ * step;
    result.distance[axis] = steps * static_cast<float>(step);
    result.reach[axis] = static_cast<std::int32_t>(std::abs(result.span[axis])) + 4;
  }
  const double length = (along.exit - along.entry) / step_;
  result.count = first_where(static_cast<std::int64_t>(length) + 2, length - 0.5, [&](std::int64_t k) {
    return !(along.entry + (static_cast<double>(k) + 0.5) * step_ < along.exit);
  });
  result.last = (result.count + samples_ - 1) / samples_;
  result.whole = result.count / samples_;
  for (int axis = 0; axis < 3 && result.first < result.last; ++axis) {
    // Samples that rounding puts just outside of the domain belong to its first or last plane.
    const double direction = along.direction[axis];
    const bool upward = direction >= 0;
    const auto low = static_cast<double>(owned_.begin[axis]), high = static_cast<double>(owned_.end[axis]);
    const bool lowest = owned_.begin[axis] == 0, highest = owned_.end[axis] == domain_[axis];
    const auto guess = [&](double plane) {
      return (((plane - along.origin[axis]) / direction - along.entry) / step_ - 0.5 - middle_) / samples_;
    };
    // From where on the middles are at or above a plane, or below it on the way down.
    const auto beyond = [&](double plane) {
      return first_where(result.last, direction == 0 ? 0 : guess(plane), [&](std::int64_t j) {
        const double at = middle(result, j, axis);
        return upward ? at >= plane : at < plane;
      });
    };
    const std::int64_t enters = (upward ? lowest : highest) ? 0 : beyond(upward ? low : high);
    const std::int64_t leaves = (upward ? highest : lowest) ? result.last : beyond(upward ? high : low);
    result.first = std::max(result.first, enters);
    result.last = std::min(result.last, leaves);
  }
  result.last = std::max(result.first, result.last);
  return result;
}

void ray_segments::put(const part& p, four_rays& rays, int lane) const {
  for (int axis = 0; axis < 3; ++axis) {
    const double direction = p.along->direction[axis];
    rays.origin[axis][lane] = p.along->origin[axis];
    rays.direction[axis][lane] = direction;
    rays.inverse[axis][lane] = direction == 0 ? 1e300 : 1 / direction;
  }
  rays.entry[lane] = p.along->entry;
  rays.begin[lane] = static_cast<double>(p.first * samples_);
  rays.end[lane] = static_cast<double>(p.last * samples_);
  rays.whole[lane] = static_cast<double>(p.whole * samples_);
}

std::int64_t ray_segments::after_box(const part& p, std::int64_t segment, const double (&low)[3],
                                     const double (&high)[3]) const {
  double leave = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double d = p.along->direction[axis];
    if (d != 0) leave = std::min(leave, ((d > 0 ? high[axis] : low[axis]) - p.along->origin[axis]) / d);
  }
  // A segment that may be outside by rounding is looked at again; one that is left out is certainly inside.
  const double next = std::ceil(((leave - p.along->entry) / step_ - 0.5 - middle_ - 1e-6) / samples_);
  return next > static_cast<double>(segment + 1) ? static_cast<std::int64_t>(std::min(next, 1e15)) : segment + 1;
}

}  // namespace osteon::kernel
