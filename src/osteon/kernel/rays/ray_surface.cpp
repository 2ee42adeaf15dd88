#include <osteon/kernel/rays/ray_surface.hpp>

#include <cmath>
#include <limits>

namespace osteon::kernel {

namespace {

// Where more than half of the weights have no value, the field has none.
constexpr double half = 0.5;
constexpr double infinite = std::numeric_limits<double>::infinity();

// One less than a volume's segments have: the sample before a segment is read, too.
int samples_of(double step_voxels) { return std::max(1, samples_in_segment(step_voxels) - 1); }

double finest(vector3 spacing_mm) { return std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x}); }

vector3 at(const ray& along, double t) {
  return {along.origin.z + t * along.direction.z, along.origin.y + t * along.direction.y,
          along.origin.x + t * along.direction.x};
}

// The voxels and weights of a cubic B-spline around a point of a box of voxels, along one axis. Beyond the domain its last
// voxels are repeated.
struct spline {
  std::int64_t offset[4];
  double weight[4], slope[4];

  spline(double at, std::int64_t voxels, std::int64_t first, std::int64_t stride) {
    const double middle = std::floor(at - 0.5), t = at - 0.5 - middle, u = 1 - t;
    weight[0] = u * u * u / 6;
    weight[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
    weight[2] = (4 - 6 * u * u + 3 * u * u * u) / 6;
    weight[3] = t * t * t / 6;
    slope[0] = -u * u / 2;
    slope[1] = t * (1.5 * t - 2);
    slope[2] = -u * (1.5 * u - 2);
    slope[3] = t * t / 2;
    for (int i = 0; i < 4; ++i)
      offset[i] = (std::clamp<std::int64_t>(static_cast<std::int64_t>(middle) - 1 + i, 0, voxels - 1) - first) * stride;
  }
};

struct spline_box {
  spline z, y, x;
  spline_box(const vector3& at, index3 domain, const box3& present)
      : z(at.z, domain.z, present.begin.z, present.shape().y * present.shape().x),
        y(at.y, domain.y, present.begin.y, present.shape().x),
        x(at.x, domain.x, present.begin.x, 1) {}
};

}  // namespace

ray_surface::ray_surface(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels,
                         const float* values, float level)
    : domain_(domain),
      spacing_mm_(spacing_mm),
      present_(present),
      step_(step_voxels * finest(spacing_mm)),
      level_(level),
      samples_(samples_of(step_voxels)),
      given_(values),
      values_(values),
      segments_(domain, owned, thickened(domain, present), step_, samples_, false) {
  const box3 thick = thickened(domain, present);
  if (thick != present) {
    repeated_ = repeat_ends(values, present, thick);
    values_ = repeated_.data();
  }
  const auto bounds = value_bounds::of(values_, owned, thick, ghosts_needed(step_voxels));
  std::vector<std::uint8_t> reached(bounds.range.size());
  for (std::size_t i = 0; i < reached.size(); ++i) reached[i] = bounds.range[i][1] >= level ? 1 : 0;
  reached_ = occupied_cells(bounds.first, bounds.cells, reached);
}

double ray_surface::interpolate(const float* values, const vector3& point, double least_share) const {
  const index3 shape = present_.shape();
  const std::int64_t stride[3] = {shape.y * shape.x, shape.x, 1};
  std::int64_t low = 0, next[3];
  double part[3];
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t last = domain_[axis] - 1;
    const double inside = std::clamp(point[axis] - 0.5, 0.0, static_cast<double>(last));
    const auto cell = static_cast<std::int64_t>(inside);
    part[axis] = inside - static_cast<double>(cell);
    low += (cell - present_.begin[axis]) * stride[axis];
    next[axis] = part[axis] > 0 ? stride[axis] : 0;
  }
  // If all eight voxels have a value, their weights sum to 1.
  const auto between = [&](std::int64_t voxel) {
    const auto first = static_cast<double>(values[voxel]);
    return first + part[2] * (static_cast<double>(values[voxel + next[2]]) - first);
  };
  const double front_low = between(low), front = front_low + part[1] * (between(low + next[1]) - front_low);
  const double back_low = between(low + next[0]), back = back_low + part[1] * (between(low + next[0] + next[1]) - back_low);
  if (const double all = front + part[0] * (back - front); !std::isnan(all)) return all;
  double sum = 0, share = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::int64_t voxel = low;
    for (int axis = 0; axis < 3; ++axis) {
      const bool second = (corner >> axis & 1) != 0;
      weight *= second ? part[axis] : 1 - part[axis];
      if (second) voxel += next[axis];
    }
    const auto value = static_cast<double>(values[voxel]);
    if (!(weight > 0) || std::isnan(value)) continue;
    sum += weight * value;
    share += weight;
  }
  return share > least_share ? sum / share : std::numeric_limits<double>::quiet_NaN();
}

double ray_surface::mean(const float* values, const vector3& point) const {
  const spline_box around(point, domain_, present_);
  double sum = 0, share = 0;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y) {
      const float* const row = values + around.z.offset[z] + around.y.offset[y];
      const double across = around.z.weight[z] * around.y.weight[y];
      double weighted[4], weight[4];  // without branches: near a surface half of the voxels have no value
      for (int x = 0; x < 4; ++x) {
        const auto value = static_cast<double>(row[around.x.offset[x]]);
        const bool has_value = !std::isnan(value);
        weight[x] = has_value ? around.x.weight[x] : 0;
        weighted[x] = has_value ? around.x.weight[x] * value : 0;
      }
      sum += across * ((weighted[0] + weighted[1]) + (weighted[2] + weighted[3]));
      share += across * ((weight[0] + weight[1]) + (weight[2] + weight[3]));
    }
  return share > 0 ? sum / share : std::numeric_limits<double>::quiet_NaN();
}

// None where a voxel has no value, or where there is no slope.
std::optional<vector3> ray_surface::spline_normal(const vector3& point) const {
  const spline_box around(point, domain_, present_);
  vector3 slope;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y) {
      const float* const row = given_ + around.z.offset[z] + around.y.offset[y];
      double value = 0, along_x = 0;
      for (int x = 0; x < 4; ++x) {
        const auto here = static_cast<double>(row[around.x.offset[x]]);
        value += around.x.weight[x] * here;
        along_x += around.x.slope[x] * here;
      }
      slope.z += around.z.slope[z] * around.y.weight[y] * value;
      slope.y += around.z.weight[z] * around.y.slope[y] * value;
      slope.x += around.z.weight[z] * around.y.weight[y] * along_x;
    }
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    slope[axis] /= -spacing_mm_[axis];
    square += slope[axis] * slope[axis];
  }
  if (!(square > 0 && std::isfinite(square))) return {};
  for (int axis = 0; axis < 3; ++axis) slope[axis] /= std::sqrt(square);
  return slope;
}

std::optional<ray_surface::hit> ray_surface::first(const ray& along, std::int64_t& samples) const {
  const auto part = segments_.of(along);
  std::int64_t segment = part.first;
  double4 beginning;
  std::size_t cell;
  while (reached_.find(segments_, part, segment, beginning, cell)) {
    eight_places around;
    std::int64_t shared;
    const int count = segments_.place(part, segment, beginning, around, shared);
    samples += count;
    float8 value = around.value(values_ + shared, segments_.across());
    if (any(value != value)) {
      float8 share;
      const float8 of_present = around.value_of_present(values_ + shared, segments_.across(), share);
      value = share > static_cast<float>(half) ? of_present : all(-std::numeric_limits<float>::infinity());
    }
    if (any(value >= level_))
      for (int i = 0; i < count; ++i)
        if (value[i] >= level_) return refine(along, segment * samples_ + i);
    ++segment;
  }
  return {};
}

// The surface between a sample and the one before it, or the ray's entry: by false position where both have a value, by
// halves where one has none. @cite [DowellJarratt1971] (the Illinois rule)
ray_surface::hit ray_surface::refine(const ray& along, std::int64_t sample) const {
  const auto above = [&](double t) {
    const double value = interpolate(given_, at(along, t), half);
    return std::isnan(value) ? -infinite : value - static_cast<double>(level_);
  };
  double b = along.entry + (static_cast<double>(sample) + 0.5) * step_, a = sample > 0 ? b - step_ : along.entry;
  double below = above(a), reached = std::max(above(b), 0.0);
  if (below >= 0 && sample == 0) return {at(along, a), {}, true};
  if (below >= 0) b = a;  // by rounding
  int side = 0;
  constexpr double fine_enough = 1e-5;  // of a step: far below what a pixel shows
  for (int i = 0; i < 30 && b - a > fine_enough * step_ && reached > 0; ++i) {
    const double t = std::isfinite(below) ? (a * reached - b * below) / (reached - below) : 0.5 * (a + b);
    const double value = above(t);
    if (value >= 0) {
      b = t, reached = value;
      if (side == 1) below *= 0.5;
      side = 1;
    } else {
      a = t, below = value;
      if (side == -1) reached *= 0.5;
      side = -1;
    }
  }
  hit result{at(along, b), {}, false};
  if (const auto normal = spline_normal(result.point)) {
    result.normal = *normal;
    return result;
  }
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // Towards where there is no value, the field is taken to go on as it is.
    double slope = 0;
    for (const int sign : {1, -1}) {
      vector3 neighbour = result.point;
      neighbour[axis] += sign;
      const double value = interpolate(given_, neighbour, half);
      if (!std::isnan(value)) slope += sign * (value - static_cast<double>(level_));
    }
    result.normal[axis] = -slope / spacing_mm_[axis];
    square += result.normal[axis] * result.normal[axis];
  }
  for (int axis = 0; axis < 3; ++axis)
    result.normal[axis] = square > 0 ? result.normal[axis] / std::sqrt(square)
                                     : -along.direction[axis] * spacing_mm_[axis];  // the ray's, a unit vector in mm
  return result;
}

}  // namespace osteon::kernel
