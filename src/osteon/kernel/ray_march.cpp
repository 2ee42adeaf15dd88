#include <osteon/kernel/ray_march.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <osteon/base/for_each.hpp>

namespace osteon::kernel {

namespace {

constexpr std::int64_t macro = 4;  // voxels along a macro cell
constexpr int macro_shift = 2;

std::int64_t clamp(std::int64_t i, std::int64_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

using lanes = float __attribute__((vector_size(16)));
using channels = double __attribute__((vector_size(32)));

// The accumulator of a ray: the channels of a wide_pixel.
struct accumulator {
  channels high, low;

  // Add a sample behind everything so far: colour is premultiplied, its last channel is minus the opacity, so the
  // transmittance changes by the same formula as the colours. The transmittance is cut into 24 + 29 bits, whose
  // products with a float are exact.
  void add(const lanes& colour) {
    const double coarse = static_cast<double>(static_cast<float>(high[3]));
    const double fine = high[3] - coarse, rest = low[3];
    const channels c = {colour[0], colour[1], colour[2], colour[3]};
    join(c * coarse, c * rest);
    join(c * fine, channels{});
  }

 private:
  void join(const channels& exact, const channels& small) {
    const channels s = high + exact;
    const channels v = s - high;
    const channels e = ((high - (s - v)) + (exact - v)) + (low + small);
    high = s + e;
    low = e - (high - s);
  }
};

lanes lerp(const lanes& a, const lanes& b, float f) { return a + f * (b - a); }

// Straight colour and opacity of a value.
lanes look_up(const transfer_table& table, float value) {
  const auto last = static_cast<float>(table.entries.size() - 1);
  float at = table.high > table.low ? (value - table.low) / (table.high - table.low) * last : (value < table.low ? 0 : last);
  at = at > 0 ? std::min(at, last) : 0;  // what is not a number counts as low
  const std::size_t i = std::min(static_cast<std::size_t>(at), table.entries.size() - 2);
  lanes a, b;
  std::memcpy(&a, &table.entries[i], sizeof a);
  std::memcpy(&b, &table.entries[i + 1], sizeof b);
  return lerp(a, b, at - static_cast<float>(i));
}

vector3 unit(const vector3& a) {
  const double length = std::sqrt(a.z * a.z + a.y * a.y + a.x * a.x);
  return {a.z / length, a.y / length, a.x / length};
}

}  // namespace

// The cells around a sample, numbered -1, 0, 1, 2 on each axis: the sample lies between 0 and 1. Cells beyond the
// domain's ends repeat the last one. The four cells along x are the lanes of one register.
struct march_volume::neighbourhood {
  std::int64_t z[4], y[4], x[4];  // offsets into the values
  float fz, fy, fx;

  lanes row(const float* v, int j, int i) const {
    const float* at = v + z[j + 1] + y[i + 1];
    lanes result;
    if (x[3] - x[0] == 3)
      std::memcpy(&result, at + x[0], sizeof result);
    else
      result = lanes{at[x[0]], at[x[1]], at[x[2]], at[x[3]]};
    return result;
  }
  float between(const lanes& a) const { return a[1] + fx * (a[2] - a[1]); }

  float value(const float* v) const {
    return between(lerp(lerp(row(v, 0, 0), row(v, 0, 1), fy), lerp(row(v, 1, 0), row(v, 1, 1), fy), fz));
  }

  // The value from the neighbours that are not NaN, and their share of the weights.
  float value_of_present(const float* v, float& share) const {
    lanes sums[4], weights[4];
    bool any = false;
    for (int k = 0; k < 4; ++k) {
      const lanes a = row(v, k >> 1, k & 1);
      const auto present = a == a;
      any = any || present[1] || present[2];
      sums[k] = present ? a : lanes{};
      weights[k] = present ? lanes{1, 1, 1, 1} : lanes{};
    }
    share = 0;
    if (!any) return 0;
    share = between(lerp(lerp(weights[0], weights[1], fy), lerp(weights[2], weights[3], fy), fz));
    const float sum = between(lerp(lerp(sums[0], sums[1], fy), lerp(sums[2], sums[3], fy), fz));
    return share > 0 ? sum / share : 0;
  }

  // Twice the gradient per voxel: the interpolated value one voxel ahead less that one voxel behind, on each axis.
  void slope(const float* v, float (&result)[3]) const {
    const lanes a = row(v, 0, 0), b = row(v, 0, 1), c = row(v, 1, 0), d = row(v, 1, 1);
    const lanes low = lerp(a, b, fy), high = lerp(c, d, fy);
    const lanes below = lerp(row(v, -1, 0), row(v, -1, 1), fy), above = lerp(row(v, 2, 0), row(v, 2, 1), fy);
    result[0] = between(lerp(high - below, above - low, fz));
    const lanes across_low = lerp(b - row(v, 0, -1), row(v, 0, 2) - a, fy);
    const lanes across_high = lerp(d - row(v, 1, -1), row(v, 1, 2) - c, fy);
    result[1] = between(lerp(across_low, across_high, fz));
    const lanes along = lerp(low, high, fz);
    const float behind = along[2] - along[0], ahead = along[3] - along[1];
    result[2] = behind + fx * (ahead - behind);
  }
};

march_volume::march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_mm,
                           lighting light, std::vector<march_layer> layers)
    : domain_(domain), owned_(owned), present_(present), step_(step_mm), layers_(std::move(layers)) {
  const vector3 toward = unit(light.toward_light);
  const vector3 half_way =
      unit({toward.z + light.toward_eye.z, toward.y + light.toward_eye.y, toward.x + light.toward_eye.x});
  const double finest = std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x});
  for (int axis = 0; axis < 3; ++axis) {
    inverse_spacing_[axis] = static_cast<float>(finest / spacing_mm[axis]);
    light_[axis] = static_cast<float>(toward[axis]);
    half_way_[axis] = static_cast<float>(half_way[axis]);
  }
  find_empty_cells();
}

double march_volume::position(const ray& along, std::int64_t k, int axis) const {
  const double t = along.entry + (static_cast<double>(k) + 0.5) * step_;
  return along.origin[axis] + t * along.direction[axis];
}

// The samples of the ray in the block. Every operation of position() is monotone in k, rounding included, so they are an
// interval, and the intervals of two neighbouring blocks meet without gap or overlap.
std::array<std::int64_t, 2> march_volume::owned_samples(const ray& along) const {
  const auto first_where = [](std::int64_t count, auto&& holds) {
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (holds(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  if (!(along.exit > along.entry)) return {0, 0};
  const auto most = static_cast<std::int64_t>((along.exit - along.entry) / step_) + 2;
  const std::int64_t count = first_where(
      most, [&](std::int64_t k) { return !(along.entry + (static_cast<double>(k) + 0.5) * step_ < along.exit); });
  std::array<std::int64_t, 2> samples{0, count};
  for (int axis = 0; axis < 3; ++axis) {
    // Samples that rounding puts just outside of the domain belong to its first or last plane.
    const bool upward = along.direction[axis] >= 0;
    const auto low = static_cast<double>(owned_.begin[axis]), high = static_cast<double>(owned_.end[axis]);
    const bool lowest = owned_.begin[axis] == 0, highest = owned_.end[axis] == domain_[axis];
    const auto enters = [&](std::int64_t k) {
      return upward ? lowest || position(along, k, axis) >= low : highest || position(along, k, axis) < high;
    };
    const auto leaves = [&](std::int64_t k) {
      return upward ? !highest && position(along, k, axis) >= high : !lowest && position(along, k, axis) < low;
    };
    if (!(upward ? lowest : highest)) samples[0] = std::max(samples[0], first_where(samples[1], enters));
    if (!(upward ? highest : lowest)) samples[1] = first_where(samples[1], leaves);
  }
  return samples;
}

bool march_volume::is_empty(const index3& cell) const {
  return !occupied_[static_cast<std::size_t>((cell.z * cells_.y + cell.y) * cells_.x + cell.x)];
}

std::int64_t march_volume::after_empty_cell(const ray& along, std::int64_t k, const index3& cell) const {
  double leave = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double d = along.direction[axis];
    if (d == 0) continue;
    const std::int64_t first = cell[axis] * macro + first_voxel_[axis];
    leave = std::min(leave, (static_cast<double>(d > 0 ? first + macro : first) - along.origin[axis]) / d);
  }
  // A sample that may be outside by rounding is looked at again; one that is left out is certainly inside.
  const double next = std::ceil((leave - along.entry) / step_ - 0.5 - 1e-6);
  return next > static_cast<double>(k + 1) && next < 1e15 ? static_cast<std::int64_t>(next) : k + 1;
}

// Light a surface: where the value changes by a good part of the transfer function's range within a voxel.
void march_volume::illuminate(const march_layer& layer, const neighbourhood& around, float& brightness, float& gloss) const {
  float slope[3], square = 0, facing = 0, shining = 0;
  around.slope(layer.values, slope);
  for (int axis = 0; axis < 3; ++axis) {
    const float s = slope[axis] * inverse_spacing_[axis];
    square += s * s;
    facing -= s * light_[axis];
    shining -= s * half_way_[axis];
  }
  if (!(square > 0)) return;  // also for NaN: no surface is known where a neighbour is empty
  const float steepness = std::sqrt(square), inverse = 1 / steepness;
  const float surface = steepness / (steepness + 0.1f * (layer.transfer.high - layer.transfer.low));
  // Half-Lambert: soft on the dark side, because bone scatters light inside.
  const float lambert = 0.5f + 0.5f * facing * inverse;
  float glance = std::max(0.0f, shining * inverse);
  for (int i = 0; i < 5; ++i) glance *= glance;
  brightness *= 1 - surface + surface * (0.22f + 0.95f * lambert * lambert);
  gloss = 0.18f * surface * glance;
}

march_volume::neighbourhood march_volume::cells_around(const double (&at)[3]) const {
  neighbourhood around;
  const auto locate = [&](int axis, std::int64_t begin, std::int64_t stride, std::int64_t (&offset)[4]) {
    const double low = std::floor(at[axis] - 0.5);
    const auto cell = static_cast<std::int64_t>(low);
    if (cell >= 1 && cell + 2 < domain_[axis]) {
      offset[0] = (cell - 1 - begin) * stride;
      offset[1] = offset[0] + stride;
      offset[2] = offset[1] + stride;
      offset[3] = offset[2] + stride;
    } else {
      for (int i = 0; i < 4; ++i) offset[i] = (clamp(cell + i - 1, domain_[axis]) - begin) * stride;
    }
    return static_cast<float>(at[axis] - 0.5 - low);
  };
  const index3 shape = present_.shape();
  around.fz = locate(0, present_.begin.z, shape.y * shape.x, around.z);
  around.fy = locate(1, present_.begin.y, shape.x, around.y);
  around.fx = locate(2, present_.begin.x, 1, around.x);
  return around;
}

// The samples that a ray has pending. They are shaded together, stage by stage: one sample is a long chain of
// dependent operations, and the processor works on several of them at once only if they are near in the program.
struct march_volume::batch {
  static constexpr int most = 8;
  int count = 0;
  neighbourhood around[most];
  lanes mixed[most];
  float through[most], sum[most];
};

void march_volume::shade(batch& samples) const {
  const int count = samples.count;
  for (int i = 0; i < count; ++i) {
    samples.mixed[i] = lanes{};
    samples.through[i] = 1;
    samples.sum[i] = 0;
  }
  for (const march_layer& layer : layers_) {
    const bool clear_below = !(layer.transfer.entries.front()[3] > 0);
    float value[batch::most], share[batch::most];
    for (int i = 0; i < count; ++i) {
      value[i] = samples.around[i].value(layer.values);
      share[i] = 1;
    }
    for (int i = 0; i < count; ++i)
      if (value[i] != value[i]) value[i] = samples.around[i].value_of_present(layer.values, share[i]);
    lanes look[batch::most];
    int seen[batch::most], visible = 0;
    for (int i = 0; i < count; ++i) {
      if (!(share[i] > 0) || (clear_below && value[i] <= layer.transfer.low)) continue;
      look[i] = look_up(layer.transfer, value[i]);
      seen[visible] = i;
      visible += look[i][3] * share[i] > 0;
    }
    float brightness[batch::most], gloss[batch::most];
    for (int j = 0; j < visible; ++j) {
      brightness[j] = layer.emission;
      gloss[j] = 0;
      if (layer.shaded) illuminate(layer, samples.around[seen[j]], brightness[j], gloss[j]);
    }
    for (int j = 0; j < visible; ++j) {
      const int i = seen[j];
      const float opacity = look[i][3] * share[i];
      samples.mixed[i] += opacity * (look[i] * brightness[j] + gloss[j]);
      samples.through[i] *= 1 - opacity;
      samples.sum[i] += opacity;
    }
  }
}

void march_volume::march(const ray& along, wide_pixel& result) const {
  accumulator sum;
  std::memcpy(&sum.high, result.high, sizeof sum.high);
  std::memcpy(&sum.low, result.low, sizeof sum.low);
  const auto [first, last] = owned_samples(along);
  index3 known{-1, -1, -1};  // a macro cell that is not empty
  batch samples;
  for (std::int64_t k = first; k < last && sum.high[3] >= 0x1p-100;) {
    for (samples.count = 0; k < last && samples.count < batch::most;) {
      const double at[3] = {position(along, k, 0), position(along, k, 1), position(along, k, 2)};
      const index3 cell{(clamp(static_cast<std::int64_t>(at[0]), domain_.z) - first_voxel_.z) >> macro_shift,
                        (clamp(static_cast<std::int64_t>(at[1]), domain_.y) - first_voxel_.y) >> macro_shift,
                        (clamp(static_cast<std::int64_t>(at[2]), domain_.x) - first_voxel_.x) >> macro_shift};
      if (!(cell == known)) {
        if (is_empty(cell)) {
          k = after_empty_cell(along, k, cell);
          continue;
        }
        known = cell;
      }
      samples.around[samples.count++] = cells_around(at);
      ++k;
    }
    shade(samples);
    for (int i = 0; i < samples.count; ++i) {
      if (!(samples.sum[i] > 0)) continue;
      // Layers that share a sample absorb together; each colours it by its share of the opacity, whatever their order.
      const float opacity = 1 - samples.through[i];
      lanes colour = samples.mixed[i] * (opacity / samples.sum[i]);
      colour[3] = -opacity;
      sum.add(colour);
    }
  }
  std::memcpy(result.high, &sum.high, sizeof sum.high);
  std::memcpy(result.low, &sum.low, sizeof sum.low);
}

void march_volume::find_empty_cells() {
  for (int axis = 0; axis < 3; ++axis) {
    first_voxel_[axis] = owned_.begin[axis] / macro * macro;
    cells_[axis] = (owned_.end[axis] - first_voxel_[axis] + macro - 1) / macro;
  }
  occupied_.assign(static_cast<std::size_t>(cells_.volume()), 0);
  const index3 shape = present_.shape();
  for (const march_layer& layer : layers_) {
    // visible[i]: number of entries before i whose opacity is not zero
    const auto& entries = layer.transfer.entries;
    std::vector<std::int32_t> visible(entries.size() + 1, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) visible[i + 1] = visible[i] + (entries[i][3] > 0 ? 1 : 0);
    const auto last = static_cast<double>(entries.size() - 1);
    const double low = layer.transfer.low, width = static_cast<double>(layer.transfer.high) - low;
    const auto entry = [&](float value) {
      const double at =
          width > 0 ? (static_cast<double>(value) - low) / width * last : (static_cast<double>(value) < low ? 0 : last);
      return std::clamp(at, 0.0, last);
    };
    for_each(cells_.z * cells_.y, [&](std::int64_t row) {
      const std::int64_t cz = row / cells_.y, cy = row % cells_.y;
      // Samples in a macro cell read one voxel beyond it on either side.
      const auto begin = [&](std::int64_t cell, int axis) {
        return std::max(present_.begin[axis], first_voxel_[axis] + cell * macro - 1);
      };
      const auto end = [&](std::int64_t cell, int axis) {
        return std::min(present_.end[axis], first_voxel_[axis] + (cell + 1) * macro + 1);
      };
      const std::int64_t z0 = begin(cz, 0), z1 = end(cz, 0), y0 = begin(cy, 1), y1 = end(cy, 1);
      for (std::int64_t cx = 0; cx < cells_.x; ++cx) {
        const std::int64_t x0 = begin(cx, 2) - present_.begin.x, x1 = end(cx, 2) - present_.begin.x;
        float least = std::numeric_limits<float>::infinity(), most = -least;
        for (std::int64_t z = z0; z < z1; ++z)
          for (std::int64_t y = y0; y < y1; ++y) {
            const float* v = layer.values + ((z - present_.begin.z) * shape.y + y - present_.begin.y) * shape.x;
            for (std::int64_t x = x0; x < x1; ++x) {  // comparisons with NaN are false
              least = v[x] < least ? v[x] : least;
              most = v[x] > most ? v[x] : most;
            }
          }
        if (least > most) continue;
        // One entry of margin: interpolated values may exceed the range by rounding.
        const auto from = static_cast<std::size_t>(std::max(0.0, std::floor(entry(least)) - 1));
        const auto to = static_cast<std::size_t>(std::min(last, std::ceil(entry(most)) + 1));
        if (visible[to + 1] > visible[from]) occupied_[static_cast<std::size_t>(row * cells_.x + cx)] = 1;
      }
    });
  }
}

}  // namespace osteon::kernel
