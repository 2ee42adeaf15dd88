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

float lerp(float a, float b, float f) { return a + f * (b - a); }

using channels = double __attribute__((vector_size(32)));

// The accumulator of a ray: the channels of a wide_pixel.
struct accumulator {
  channels high, low;

  // Add a sample behind everything so far: colour is premultiplied, its last channel is minus the opacity, so the
  // transmittance changes by the same formula as the colours. The transmittance is cut into 24 + 29 bits, whose
  // products with a float are exact.
  void add(const float (&colour)[4]) {
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

// Opacity and straight colour of a value.
void look_up(const transfer_table& table, float value, float (&result)[4]) {
  const auto last = static_cast<float>(table.entries.size() - 1);
  const float width = table.high - table.low;
  float at = width > 0 ? (value - table.low) / width * last : (value < table.low ? 0 : last);
  at = at < 0 ? 0 : at > last ? last : at;
  const auto i = std::min(static_cast<std::size_t>(at), table.entries.size() - 2);
  const float f = at - static_cast<float>(i);
  const auto &a = table.entries[i], &b = table.entries[i + 1];
  for (std::size_t c = 0; c < 4; ++c) result[c] = lerp(a[c], b[c], f);
}

double dot(const vector3& a, const vector3& b) { return a.z * b.z + a.y * b.y + a.x * b.x; }

vector3 unit(const vector3& a) {
  const double length = std::sqrt(dot(a, a));
  return {a.z / length, a.y / length, a.x / length};
}

}  // namespace

struct march_volume::sample_colour {
  float rgba[4];  // premultiplied; the last is minus the opacity
};

// The cells around a sample: indices at -1, 0, 1, 2 from the cell below it on each axis, as offsets into the values,
// and the position between 0 and 1.
struct march_volume::neighbourhood {
  std::int64_t offset[3][4];
  float f[3];

  float value(const float* v, int dz, int dy, int dx) const {
    const std::int64_t *z = offset[0] + 1 + dz, *y = offset[1] + 1 + dy, *x = offset[2] + 1 + dx;
    const float *a = v + z[0] + y[0], *b = v + z[0] + y[1], *c = v + z[1] + y[0], *d = v + z[1] + y[1];
    const float front = lerp(lerp(a[x[0]], a[x[1]], f[2]), lerp(b[x[0]], b[x[1]], f[2]), f[1]);
    const float back = lerp(lerp(c[x[0]], c[x[1]], f[2]), lerp(d[x[0]], d[x[1]], f[2]), f[1]);
    return lerp(front, back, f[0]);
  }

  // The value from the neighbours that are not NaN, and their share of the weights.
  float value_of_present(const float* v, float& share) const {
    float sum = 0;
    share = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int k = corner >> 2, j = (corner >> 1) & 1, i = corner & 1;
      const float w = (k ? f[0] : 1 - f[0]) * (j ? f[1] : 1 - f[1]) * (i ? f[2] : 1 - f[2]);
      const float c = v[offset[0][1 + k] + offset[1][1 + j] + offset[2][1 + i]];
      if (c != c) continue;
      sum += w * c;
      share += w;
    }
    return share > 0 ? sum / share : 0;
  }
};

march_volume::march_volume(index3 domain, vector3 spacing_mm, std::array<std::int64_t, 2> owned,
                           std::array<std::int64_t, 2> present, double step_mm, lighting light, std::vector<march_layer> layers)
    : domain_(domain), spacing_(spacing_mm), owned_(owned), present_(present), step_(step_mm), light_(unit(light.toward_light)),
      half_way_(unit({light.toward_light.z + light.toward_eye.z, light.toward_light.y + light.toward_eye.y,
                      light.toward_light.x + light.toward_eye.x})),
      layers_(std::move(layers)) {
  find_empty_cells();
}

double march_volume::position(const ray& along, std::int64_t k, int axis) const {
  const double t = along.entry + (static_cast<double>(k) + 0.5) * step_;
  return along.origin[axis] + t * along.direction[axis];
}

// The samples of the ray in the block's planes. Every operation of position() is monotone in k, rounding included, so
// they are an interval, and the intervals of two neighbouring blocks meet without gap or overlap.
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
  const std::int64_t count =
      first_where(most, [&](std::int64_t k) { return !(along.entry + (static_cast<double>(k) + 0.5) * step_ < along.exit); });
  // Samples that rounding puts just outside of the domain belong to its first or last plane.
  const bool upward = along.direction.z >= 0;
  const auto low = static_cast<double>(owned_[0]), high = static_cast<double>(owned_[1]);
  const bool lowest = owned_[0] == 0, highest = owned_[1] == domain_.z;
  const auto enters = [&](std::int64_t k) {
    return upward ? lowest || position(along, k, 0) >= low : highest || position(along, k, 0) < high;
  };
  const auto leaves = [&](std::int64_t k) {
    return upward ? !highest && position(along, k, 0) >= high : !lowest && position(along, k, 0) < low;
  };
  return {first_where(count, enters), first_where(count, leaves)};
}

bool march_volume::is_empty(const index3& cell) const {
  return !occupied_[static_cast<std::size_t>((cell.z * cells_.y + cell.y) * cells_.x + cell.x)];
}

std::int64_t march_volume::after_empty_cell(const ray& along, std::int64_t k, const index3& cell) const {
  double leave = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double d = along.direction[axis];
    if (d == 0) continue;
    const std::int64_t first = cell[axis] * macro + (axis == 0 ? first_cell_plane_ : 0);
    leave = std::min(leave, (static_cast<double>(d > 0 ? first + macro : first) - along.origin[axis]) / d);
  }
  // A sample that may be outside by rounding is looked at again; one that is left out is certainly inside.
  const double next = std::ceil((leave - along.entry) / step_ - 0.5 - 1e-6);
  return next > static_cast<double>(k + 1) && next < 1e15 ? static_cast<std::int64_t>(next) : k + 1;
}

bool march_volume::shade(const double (&at)[3], sample_colour& colour) const {
  neighbourhood around;
  const std::int64_t stride[3] = {domain_.y * domain_.x, domain_.x, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const double low = std::floor(at[axis] - 0.5);
    around.f[axis] = static_cast<float>(at[axis] - 0.5 - low);
    for (int i = 0; i < 4; ++i)
      around.offset[axis][i] =
          (clamp(static_cast<std::int64_t>(low) + i - 1, domain_[axis]) - (axis == 0 ? present_[0] : 0)) * stride[axis];
  }
  float through = 1, sum = 0, mixed[3] = {0, 0, 0};
  for (const march_layer& layer : layers_) {
    float value = around.value(layer.values, 0, 0, 0), share = 1;
    if (value != value) value = around.value_of_present(layer.values, share);
    float look[4];
    look_up(layer.transfer, value, look);
    const float opacity = look[3] * share;
    if (!(opacity > 0)) continue;
    float gloss = 0;
    float brightness = layer.emission;
    if (layer.shaded) {
      const vector3 slope{(around.value(layer.values, 1, 0, 0) - around.value(layer.values, -1, 0, 0)) / spacing_.z,
                          (around.value(layer.values, 0, 1, 0) - around.value(layer.values, 0, -1, 0)) / spacing_.y,
                          (around.value(layer.values, 0, 0, 1) - around.value(layer.values, 0, 0, -1)) / spacing_.x};
      const double steepness = std::sqrt(dot(slope, slope));
      const double finest = std::min({spacing_.z, spacing_.y, spacing_.x});
      const double range = static_cast<double>(layer.transfer.high) - static_cast<double>(layer.transfer.low);
      if (steepness > 0) {  // false for NaN, too
        // A surface where the value changes by a good part of the transfer function's range within a voxel.
        const double relative = steepness * finest;
        const double surface = relative / (relative + 0.1 * range);
        // Half-Lambert: soft on the dark side, because bone scatters light inside.
        const double lambert = 0.5 - 0.5 * dot(slope, light_) / steepness;
        double glance = std::max(0.0, -dot(slope, half_way_) / steepness);
        for (int i = 0; i < 5; ++i) glance *= glance;
        brightness *= static_cast<float>(1 - surface + surface * (0.22 + 0.95 * lambert * lambert));
        gloss = static_cast<float>(0.18 * surface * glance);
      }
    }
    for (int c = 0; c < 3; ++c) mixed[c] += opacity * (look[c] * brightness + gloss);
    through *= 1 - opacity;
    sum += opacity;
  }
  if (!(sum > 0)) return false;
  // Layers that share a sample absorb together; each colours it by its share of the opacity, whatever their order.
  const float opacity = 1 - through, weight = opacity / sum;
  for (int c = 0; c < 3; ++c) colour.rgba[c] = mixed[c] * weight;
  colour.rgba[3] = -opacity;
  return true;
}

void march_volume::march(const ray& along, wide_pixel& result) const {
  accumulator sum;
  std::memcpy(&sum.high, result.high, sizeof sum.high);
  std::memcpy(&sum.low, result.low, sizeof sum.low);
  const auto [first, last] = owned_samples(along);
  index3 known{-1, -1, -1};  // a macro cell that is not empty
  for (std::int64_t k = first; k < last;) {
    const double at[3] = {position(along, k, 0), position(along, k, 1), position(along, k, 2)};
    const index3 cell{(clamp(static_cast<std::int64_t>(at[0]), domain_.z) - first_cell_plane_) >> macro_shift,
                      clamp(static_cast<std::int64_t>(at[1]), domain_.y) >> macro_shift,
                      clamp(static_cast<std::int64_t>(at[2]), domain_.x) >> macro_shift};
    if (!(cell == known)) {
      if (is_empty(cell)) {
        k = after_empty_cell(along, k, cell);
        continue;
      }
      known = cell;
    }
    sample_colour colour;
    if (shade(at, colour)) {
      sum.add(colour.rgba);
      if (sum.high[3] < 0x1p-100) break;
    }
    ++k;
  }
  std::memcpy(result.high, &sum.high, sizeof sum.high);
  std::memcpy(result.low, &sum.low, sizeof sum.low);
}

void march_volume::find_empty_cells() {
  first_cell_plane_ = owned_[0] / macro * macro;
  const auto cells = [](std::int64_t voxels) { return (voxels + macro - 1) / macro; };
  cells_ = {cells(owned_[1] - first_cell_plane_), cells(domain_.y), cells(domain_.x)};
  occupied_.assign(static_cast<std::size_t>(cells_.volume()), 0);
  for (const march_layer& layer : layers_) {
    // visible[i]: number of entries before i whose opacity is not zero
    const auto& entries = layer.transfer.entries;
    std::vector<std::int32_t> visible(entries.size() + 1, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) visible[i + 1] = visible[i] + (entries[i][3] > 0 ? 1 : 0);
    const auto last = static_cast<double>(entries.size() - 1);
    const double low = layer.transfer.low, width = static_cast<double>(layer.transfer.high) - low;
    const auto entry = [&](float value) {
      const double at = width > 0 ? (static_cast<double>(value) - low) / width * last : (static_cast<double>(value) < low ? 0 : last);
      return std::clamp(at, 0.0, last);
    };
    for_each(cells_.z * cells_.y, [&](std::int64_t row) {
      const std::int64_t cz = row / cells_.y, cy = row % cells_.y;
      // Samples in a macro cell read one voxel beyond it on either side.
      const std::int64_t z0 = std::max(present_[0], first_cell_plane_ + cz * macro - 1);
      const std::int64_t z1 = std::min(present_[1], first_cell_plane_ + (cz + 1) * macro + 1);
      const std::int64_t y0 = std::max<std::int64_t>(0, cy * macro - 1), y1 = std::min(domain_.y, (cy + 1) * macro + 1);
      for (std::int64_t cx = 0; cx < cells_.x; ++cx) {
        const std::int64_t x0 = std::max<std::int64_t>(0, cx * macro - 1), x1 = std::min(domain_.x, (cx + 1) * macro + 1);
        float least = std::numeric_limits<float>::infinity(), most = -least;
        for (std::int64_t z = z0; z < z1; ++z)
          for (std::int64_t y = y0; y < y1; ++y) {
            const float* v = layer.values + ((z - present_[0]) * domain_.y + y) * domain_.x;
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
