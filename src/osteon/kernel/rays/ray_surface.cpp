#include <osteon/kernel/rays/ray_surface.hpp>

#include <cmath>
#include <limits>

namespace osteon::kernel {

namespace {

// The field is undefined if voxels without a value have more than half of the weight.
constexpr double half = 0.5;
constexpr double infinite = std::numeric_limits<double>::infinity();

// Segments have one sample less than in a volume, because the sample before a segment is also read.
int samples_of(double step_voxels) { return std::max(1, samples_in_segment(step_voxels) - 1); }

double finest(vector3 spacing_mm) { return std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x}); }

vector3 at(const ray& along, double t) {
  return {along.origin.z + t * along.direction.z, along.origin.y + t * along.direction.y,
          along.origin.x + t * along.direction.x};
}

// Lanes z, y and x; the last lane is unused.
double4 by_axes(const vector3& a) { return double4{a.z, a.y, a.x, 0}; }
double sum_of(const double4& a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Voxels and weights of a cubic B-spline around a point in a box of voxels. Beyond the domain, the outermost voxels are
// repeated.
class spline_box {
 public:
  double4 weight[4], slope[4];  // weights of the four voxels along each axis
  double4 weight_x, slope_x;    // weights along x in all lanes

  spline_box(const vector3& at, index3 domain, const box3& present) {
    const double4 place = by_axes(at) - 0.5;
    const vector3 floor{std::floor(place[0]), std::floor(place[1]), std::floor(place[2])};
    const double4 t = place - by_axes(floor), u = 1 - t;
    weight[0] = u * u * u / 6;
    weight[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
    weight[2] = (4 - 6 * u * u + 3 * u * u * u) / 6;
    weight[3] = t * t * t / 6;
    slope[0] = -u * u / 2;
    slope[1] = t * (1.5 * t - 2);
    slope[2] = -u * (1.5 * u - 2);
    slope[3] = t * t / 2;
    const index3 shape = present.shape();
    const std::int64_t stride[3] = {shape.y * shape.x, shape.x, 1};
    for (int axis = 0; axis < 3; ++axis) {
      const auto first = static_cast<std::int64_t>(floor[axis]) - 1;
      for (int i = 0; i < 4; ++i)
        offset_[axis][i] = (std::clamp<std::int64_t>(first + i, 0, domain[axis] - 1) - present.begin[axis]) * stride[axis];
    }
    side_by_side_ = offset_[2][3] - offset_[2][0] == 3;
    for (int i = 0; i < 4; ++i) {
      weight_x[i] = weight[i][2];
      slope_x[i] = slope[i][2];
    }
  }

  // Four values along x.
  double4 row(const float* values, int z, int y) const {
    const float* const from = values + offset_[0][z] + offset_[1][y];
    float4 found;
    if (side_by_side_)
      load(found, from + offset_[2][0]);
    else
      found = float4{from[offset_[2][0]], from[offset_[2][1]], from[offset_[2][2]], from[offset_[2][3]]};
    return to_double(found);
  }

 private:
  std::int64_t offset_[3][4];
  bool side_by_side_;
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
  // If all eight voxels have values, the sum of the weights is 1.
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
  double4 sum{}, share{};  // along x
  for (int z = 0; z < 4; ++z) {
    double4 sum_here{}, share_here{};
    for (int y = 0; y < 4; ++y) {
      const double4 row = around.row(values, z, y);
      const lanes4 has_value = row == row;
      sum_here += around.weight[y][1] * (has_value ? row : double4{});
      share_here += around.weight[y][1] * (has_value ? all(1.0) : double4{});
    }
    sum += around.weight[z][0] * sum_here;
    share += around.weight[z][0] * share_here;
  }
  const double whole = sum_of(share * around.weight_x);
  return whole > 0 ? sum_of(sum * around.weight_x) / whole : std::numeric_limits<double>::quiet_NaN();
}

// Empty if a voxel has no value or the slope is zero.
std::optional<vector3> ray_surface::spline_normal(const vector3& point) const {
  const spline_box around(point, domain_, present_);
  double4 along_z{}, along_y{}, value{};
  for (int z = 0; z < 4; ++z) {
    double4 value_here{}, slope_here{};
    for (int y = 0; y < 4; ++y) {
      const double4 row = around.row(given_, z, y);
      value_here += around.weight[y][1] * row;
      slope_here += around.slope[y][1] * row;
    }
    along_z += around.slope[z][0] * value_here;
    along_y += around.weight[z][0] * slope_here;
    value += around.weight[z][0] * value_here;
  }
  vector3 slope{sum_of(along_z * around.weight_x), sum_of(along_y * around.weight_x), sum_of(value * around.slope_x)};
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
  ray none = along;
  none.exit = none.entry;
  std::optional<hit> hits[4];
  first({&along, &none, &none, &none}, hits, samples);
  return hits[0];
}

void ray_surface::first(const ray* const (&along)[4], std::optional<hit> (&hits)[4], std::int64_t& samples) const {
  four_rays rays;
  segments_.put(along, rays);
  for (auto& each : hits) each.reset();
  float step[3][4], from[3][4], base[3][4];
  for (int axis = 0; axis < 3; ++axis)
    store(step[axis], __builtin_convertvector(segments_.step_mm() * rays.direction[axis], float4));
  for (;;) {
    integer4 marks;
    const unsigned found = bits(reached_.find(segments_, rays, marks));
    if (found == 0) return;
    const auto places = segments_.place(rays);
    for (int axis = 0; axis < 3; ++axis) {
      store(from[axis], places.from[axis]);
      store(base[axis], places.base[axis]);
    }
    const unsigned at_an_end = bits(places.at_an_end);
    for (int lane = 0; lane < 4; ++lane) {
      if ((found >> lane & 1) == 0) continue;
      const auto first_sample = static_cast<std::int64_t>(rays.begin[lane]);
      const float from_here[3] = {from[0][lane], from[1][lane], from[2][lane]},
                  step_here[3] = {step[0][lane], step[1][lane], step[2][lane]};
      eight_places around;
      int count = samples_;
      if ((at_an_end >> lane & 1) == 0) {
        segments_.place_inside(from_here, step_here, around);
      } else {
        const float base_here[3] = {base[0][lane], base[1][lane], base[2][lane]};
        count = std::min(samples_, static_cast<int>(rays.count[lane] - rays.begin[lane]));
        segments_.place_at_an_end(from_here, step_here, base_here, count, 0, around);
      }
      samples += count;
      const float* const voxels = values_ + static_cast<std::int64_t>(places.shared[lane]);
      float8 value = around.value(voxels, segments_.across());
      if (any(value != value)) {
        float8 share;
        const float8 of_present = around.value_of_present(voxels, segments_.across(), share);
        value = share > static_cast<float>(half) ? of_present : all(-std::numeric_limits<float>::infinity());
      }
      const unsigned above = bits(value >= level_) & ((1U << count) - 1);
      if (above == 0) continue;
      const int at = __builtin_ctz(above);
      const auto over = [&](int i) { return static_cast<double>(value[i]) - static_cast<double>(level_); };
      samples_around around_hit{{}, over(at), {}};
      if (at > 0) around_hit.before = over(at - 1);
      if (at + 1 < count) around_hit.behind = over(at + 1);
      hits[lane] = refine(*along[lane], first_sample + at, around_hit);
      rays.end[lane] = rays.begin[lane];
    }
    rays.begin += samples_;
  }
}

namespace {

// First root in [0, 1] of the parabola through three samples at 0, 1 and 2, for before < 0 and at >= 0.
double share_by_parabola(double before, double at, double behind) {
  const double bend = 0.5 * (before - 2 * at + behind), rise = at - before - bend;  // before + rise s + bend s^2
  const double root = std::sqrt(std::max(rise * rise - 4 * bend * before, 0.0));
  return -2 * before / (rise + root);
}

}  // namespace

// Find the surface between a sample and the previous sample or the ray's entry. The method is false position if both points
// have a value, otherwise bisection. A parabola yields the initial guess. @cite [DowellJarratt1971] (the Illinois rule)
ray_surface::hit ray_surface::refine(const ray& along, std::int64_t sample, const samples_around& known) const {
  const auto above = [&](double t) {
    const double value = interpolate(given_, at(along, t), half);
    return std::isnan(value) ? -infinite : value - static_cast<double>(level_);
  };
  double b = along.entry + (static_cast<double>(sample) + 0.5) * step_, a = sample > 0 ? b - step_ : along.entry;
  double below = known.before ? *known.before : above(a), reached = known.at;
  if (below >= 0 && sample == 0) return {at(along, a), {}, true};
  if (below >= 0) b = a;  // happens only by rounding
  int side = 0;
  constexpr double fine_enough = 1e-5;  // fraction of a step, or of the difference of values over a step; this tolerance is
                                        // far below the resolution of a pixel
  const bool is_whole = std::isfinite(below) && sample > 0;
  const double near_enough = is_whole ? fine_enough * (reached - below) : 0;
  double guess = is_whole && known.behind && std::isfinite(*known.behind)
                     ? a + share_by_parabola(below, reached, *known.behind) * step_
                     : b;
  for (int i = 0; i < 30 && b - a > fine_enough * step_ && reached > 0; ++i) {
    const double t = guess > a && guess < b ? guess
                     : std::isfinite(below) ? (a * reached - b * below) / (reached - below)
                                            : 0.5 * (a + b);
    guess = b;
    const double value = above(t);
    if (std::abs(value) <= near_enough) {
      b = t;
      break;
    }
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
    // The field is extrapolated as a constant towards undefined values.
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
    result.normal[axis] = square > 0
                              ? result.normal[axis] / std::sqrt(square)
                              : -along.direction[axis] * spacing_mm_[axis];  // direction of the ray, a unit vector in mm
  return result;
}

}  // namespace osteon::kernel
