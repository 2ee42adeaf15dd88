#include <osteon/kernel/ray_march.hpp>

#include <cstring>
#include <limits>
#include <osteon/kernel/empty_space.hpp>

namespace osteon::kernel {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

using channels = double __attribute__((vector_size(32)));

// The accumulator of a ray: the channels of a wide_pixel.
struct accumulator {
  channels high, low;

  // Add a segment behind everything so far: colour is premultiplied, its last channel is minus the opacity, so the
  // transmittance changes by the same formula as the colours. The transmittance is cut into 24 + 29 bits, whose
  // products with a float are exact.
  template <class F4>
  void add(const F4& colour) {
    const double coarse = static_cast<double>(static_cast<float>(high[3]));
    const double fine = high[3] - coarse, rest = low[3];
    const channels c = __builtin_convertvector(colour, channels);
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

vector3 unit(const vector3& a) {
  const double length = std::sqrt(a.z * a.z + a.y * a.y + a.x * a.x);
  return {a.z / length, a.y / length, a.x / length};
}

float8 square_root(float8 a) {
  for (int i = 0; i < 8; ++i) a[i] = std::sqrt(a[i]);
  return a;
}

// Of each lane, the product of those before it.
[[gnu::always_inline]] inline float8 product_of_preceding(const float8& a) {
  const float8 one = all(1.0f);
  float8 p = __builtin_shufflevector(one, a, 0, 8, 9, 10, 11, 12, 13, 14);
  p *= __builtin_shufflevector(one, p, 0, 8, 9, 10, 11, 12, 13, 14);
  p *= __builtin_shufflevector(one, p, 0, 1, 8, 9, 10, 11, 12, 13);
  return p * __builtin_shufflevector(one, p, 0, 1, 2, 3, 8, 9, 10, 11);
}

[[gnu::always_inline]] inline float sum_of(const float8& a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

// The bits of a float count halvings, and between two of them what is left, nearly enough.
optical_depth depth_of(float transmittance) {
  constexpr std::int32_t one = 0x3f800000;
  std::int32_t bits;
  const float through = std::clamp(transmittance, 0.0f, 1.0f);
  std::memcpy(&bits, &through, sizeof bits);
  return static_cast<optical_depth>(std::min((one - bits) >> 11, 0xffff));
}

// The range of values outside of which a table's opacity is zero.
std::array<float, 2> visible_range(const transfer_table& table) {
  const auto visible = [](const std::array<float, 4>& e) { return e[3] > 0; };
  const auto& e = table.entries;
  const auto first = std::find_if(e.begin(), e.end(), visible) - e.begin();
  const auto last = std::find_if(e.rbegin(), e.rend(), visible).base() - e.begin() - 1;  // -1: none
  if (last < 0) return {infinite, infinite};
  const float entry = (table.high - table.low) / static_cast<float>(e.size() - 1);
  // The entry next to the first visible one begins to show between the two; rounding may be off by a little of an entry.
  const auto bound = [&](std::ptrdiff_t i) { return table.low + static_cast<float>(i) * entry; };
  return {first == 0 ? -infinite : bound(first - 1) - 0.01f * entry,
          last == static_cast<std::ptrdiff_t>(e.size()) - 1 ? infinite : bound(last + 1) + 0.01f * entry};
}

}  // namespace

march_volume::march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels,
                           lighting light, std::vector<march_layer> layers)
    : domain_(domain),
      segments_(domain, owned, present, step_voxels * std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x}),
                samples_in_segment(step_voxels)) {
  light_by(light);
  const double finest = std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x});
  for (int axis = 0; axis < 3; ++axis) inverse_spacing_[axis] = static_cast<float>(finest / spacing_mm[axis]);
  for (march_layer& l : layers) {
    const auto [low, high] = visible_range(l.transfer);
    const float width = l.transfer.high - l.transfer.low;
    const float scale = width > 0 ? static_cast<float>(l.transfer.entries.size() - 1) / width : infinite;
    layers_.push_back({std::move(l), scale, low, high, {}});
    const auto& entries = layers_.back().given.transfer.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::array<float, 8> rising{};
      for (std::size_t c = 0; c < 4; ++c) {
        rising[2 * c] = entries[i][c];
        rising[2 * c + 1] = i + 1 < entries.size() ? entries[i + 1][c] - entries[i][c] : 0;
      }
      layers_.back().rising.push_back(rising);
    }
  }
  find_empty_space(owned, present, ghosts_needed(step_voxels));
  for (int axis = 0; axis < 3; ++axis) {
    first_[axis] = static_cast<std::int32_t>(first_voxel_[axis]);
    last_cell_[axis] = static_cast<std::int32_t>(cells_[axis] - 1);
  }
}

void march_volume::light_by(const lighting& light) {
  const vector3 toward = unit(light.toward_light);
  const vector3 half_way =
      unit({toward.z + light.toward_eye.z, toward.y + light.toward_eye.y, toward.x + light.toward_eye.x});
  for (int axis = 0; axis < 3; ++axis) {
    light_[axis] = static_cast<float>(toward[axis]);
    half_way_[axis] = static_cast<float>(half_way[axis]);
  }
}

void march_volume::find_empty_space(const box3& owned, const box3& present, int margin) {
  for (std::size_t number = 0; number < layers_.size(); ++number) {
    const layer& l = layers_[number];
    const auto bounds = value_bounds::of(l.given.values, owned, present, margin);
    first_voxel_ = bounds.first;
    cells_ = bounds.cells;
    to_do_.resize(bounds.range.size());
    // visible[i]: number of entries before i whose opacity is not zero
    const auto& entries = l.given.transfer.entries;
    std::vector<std::int32_t> visible(entries.size() + 1, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) visible[i + 1] = visible[i] + (entries[i][3] > 0 ? 1 : 0);
    const float last = static_cast<float>(entries.size() - 1);
    const auto entry = [&](float value) {
      const float at = (value - l.given.transfer.low) * l.scale;
      return at > 0 ? std::min(at, last) : 0;
    };
    for (std::size_t i = 0; i < to_do_.size(); ++i) {
      const auto [least, most] = bounds.range[i];
      if (least > most) continue;
      // One entry of margin: interpolated values may exceed the range by rounding.
      const auto from = static_cast<std::size_t>(std::max(0.0f, std::floor(entry(least)) - 1));
      const auto to = static_cast<std::size_t>(std::min(last, std::ceil(entry(most)) + 1));
      if (visible[to + 1] > visible[from])
        to_do_[i] = static_cast<std::uint8_t>(to_do_[i] | (least < most ? 3U : 1U) << 2 * number);
    }
  }
  distance_ = distance_to_occupied(cells_, to_do_);
}

// Light a surface: where the value changes by a good part of the transfer function's range within a voxel.
template <bool Inside>
[[gnu::noinline]] void march_volume::illuminate(const layer& what, const eight_samples& around, const float* values,
                                                float8& brightness, float8& gloss) const {
  float8 slope[3], square{}, facing{}, shining{};
  around.template slope<Inside>(values, slope);
  for (int axis = 0; axis < 3; ++axis) {
    const float8 s = slope[axis] * inverse_spacing_[axis];
    square += s * s;
    facing -= s * light_[axis];
    shining -= s * half_way_[axis];
  }
  const integer8 steep = square > 0;  // false for NaN: no surface is known where a neighbour is empty
  if (!any(steep)) return;
  const float8 steepness = square_root(steep ? square : all(1.0f)), inverse = 1 / steepness;
  const float8 surface = steepness / (steepness + 0.1f * (what.given.transfer.high - what.given.transfer.low));
  // Half-Lambert: soft on the dark side, because bone scatters light inside.
  const float8 lambert = 0.5f + 0.5f * facing * inverse;
  float8 glance = shining * inverse;
  glance = glance > 0 ? glance : float8{};
  for (int i = 0; i < 5; ++i) glance *= glance;
  brightness *= steep ? 1 - surface + surface * (0.22f + 0.95f * lambert * lambert) : all(1.0f);
  gloss = steep ? 0.18f * surface * glance : float8{};
}

struct march_volume::look {
  const layer* of;
  float8 opacity, part, brightness, gloss;
  integer8 entry;  // offsets in `rising`
  bool shiny;
};

// Not inlined, nor is illuminate(): in one large function the compiler would take the addresses of all voxels that any of
// the layers may read out of the loop over the layers, and put them into memory for every segment.
// @return whether anything is seen
template <bool Inside>
[[gnu::noinline]] bool march_volume::look_at(const layer& what, const eight_samples& around, const float* values, int count,
                                             bool lit, look& result) const {
  constexpr integer8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
  float8 value = around.template value<Inside>(values), share = all(1.0f);
  const bool partial = any(value != value);
  if (partial) {
    float8 present;
    const float8 of_present = around.template value_of_present<Inside>(values, present);
    share = value == value ? share : present;
    value = value == value ? value : of_present;
  }
  const integer8 seen = (value > what.visible_low) & (value < what.visible_high) & (share > 0) & (numbered < count);
  if (!any(seen)) return false;
  result.of = &what;
  result.brightness = all(what.given.emission);
  result.gloss = float8{};
  result.shiny = lit;
  if (lit) illuminate<Inside>(what, around, values, result.brightness, result.gloss);
  const auto last = static_cast<float>(what.rising.size() - 1);
  float8 at = (value - what.given.transfer.low) * what.scale;
  at = at > 0 ? at : float8{};
  at = at < last ? at : all(last);
  const integer8 entry = __builtin_convertvector(at, integer8);
  result.part = at - __builtin_convertvector(entry, float8);
  result.entry = entry * 8;
  std::int32_t places[8];
  std::memcpy(places, &result.entry, sizeof places);
  float8 opacity, rise;
  pairs_at(what.rising.front().data() + 6, places, opacity, rise);
  result.opacity = seen ? (opacity + result.part * rise) * share : float8{};
  if (lit) {  // light may overflow where nothing is seen
    result.brightness = seen ? result.brightness : float8{};
    result.gloss = seen ? result.gloss : float8{};
  }
  return true;
}

// Premultiplied colour and opacity of a segment's samples.
template <bool Inside>
[[gnu::always_inline]] inline march_volume::float4 march_volume::shade(const eight_samples& around, std::int64_t shared,
                                                                       int count, unsigned what) const {
  look looks[most_layers];
  int seen = 0;
  float8 through = all(1.0f), opacities{};
  for (const layer& l : layers_) {
    const unsigned to_do = what & 3;
    what >>= 2;
    if (to_do == 0) continue;
    look& of_layer = looks[seen];
    if (!look_at<Inside>(l, around, l.given.values + shared, count, l.given.shaded && to_do == 3, of_layer)) continue;
    ++seen;
    through *= 1 - of_layer.opacity;
    opacities += of_layer.opacity;
  }
  if (seen == 0) return float4{};
  const float8 before = product_of_preceding(through);
  float8 weight = before, absorbed = before * opacities;
  if (seen > 1) {
    // Layers that share a sample absorb together; each colours it by its share of the opacity, whatever their order.
    weight *= opacities > 0 ? (1 - through) / opacities : float8{};
    absorbed = before * (1 - through);
  }
  // Red, green and blue of an entry, and what the next one has more.
  float8 sum{};
  float8 gloss{};
  for (int n = 0; n < seen; ++n) {
    const look& l = looks[n];
    const float8 opacity = weight * l.opacity, bright = opacity * l.brightness, more = bright * l.part;
    if (l.shiny) gloss += opacity * l.gloss;
    float factors[16];
    const float8 first = __builtin_shufflevector(bright, more, 0, 8, 1, 9, 4, 12, 5, 13);
    const float8 second = __builtin_shufflevector(bright, more, 2, 10, 3, 11, 6, 14, 7, 15);
    std::memcpy(factors, &first, sizeof first);
    std::memcpy(factors + 8, &second, sizeof second);
    std::int32_t places[8];
    std::memcpy(places, &l.entry, sizeof places);
    const float* const table = l.of->rising.front().data();
    constexpr int sample[8] = {0, 1, 4, 5, 2, 3, 6, 7};  // whose factors lie there
    for (int i = 0; i < 8; ++i) {
      double both;
      std::memcpy(&both, factors + 2 * i, sizeof both);
      float8 entry;
      std::memcpy(&entry, table + places[sample[i]], sizeof entry);
      sum += (float8)(double4{both, both, both, both}) * entry;
    }
  }
  const float shine = sum_of(gloss);
  return float4{sum[0] + sum[1] + shine, sum[2] + sum[3] + shine, sum[4] + sum[5] + shine, sum_of(absorbed)};
}

void march_volume::project(const ray& along, projection& result, std::int64_t& samples) const {
  const auto part = segments_.of(along);
  const march_layer& what = layers_.front().given;
  const double scale = what.transfer.high > what.transfer.low ? 0x1p24 / (what.transfer.high - what.transfer.low) : 0;
  for (std::int64_t j = part.first; j < part.last; ++j) {
    eight_samples around{};
    std::int64_t shared;
    const int count = segments_.place(part, j, around, shared);
    samples += count;
    float8 share;
    const float8 value = around.inside ? around.value_of_present<true>(what.values + shared, share)
                                       : around.value_of_present<false>(what.values + shared, share);
    for (int i = 0; i < count; ++i) {
      if (!(share[i] > 0.5f)) continue;
      result.greatest = std::max(result.greatest, value[i]);
      // Values far outside of the range count as 128 times as far, so that no sum overflows.
      result.sum += std::llround(std::clamp(scale * (value[i] - what.transfer.low), -0x1p31, 0x1p31));
      ++result.count;
    }
  }
}

optical_depth march_volume::march(const ray& along, optical_depth before, wide_pixel& result, std::int64_t& samples) const {
  const auto part = segments_.of(along);
  if (part.first == part.last) return 0;
  accumulator sum;
  std::memcpy(&sum.high, result.high, sizeof sum.high);
  std::memcpy(&sum.low, result.low, sizeof sum.low);
  optical_depth depth = 0;
  for (std::int64_t j = part.first; j < part.last && deeper(before, depth) < opaque_depth;) {
    // What rounding puts just outside of the domain belongs to its first or last plane.
    static_assert(value_bounds::edge == 4);
    integer4 cell = (segments_.middle_voxel(part, j) - first_) >> 2;
    cell = cell < 0 ? integer4{} : cell;
    cell = cell > last_cell_ ? last_cell_ : cell;
    const auto number = static_cast<std::size_t>((cell[0] * cells_.y + cell[1]) * cells_.x + cell[2]);
    if (const int distance = distance_[number]) {
      double low[3], high[3];
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = static_cast<double>(first_voxel_[axis] + (cell[axis] - distance + 1) * value_bounds::edge);
        high[axis] = static_cast<double>(first_voxel_[axis] + (cell[axis] + distance) * value_bounds::edge);
      }
      j = segments_.after_box(part, j, low, high);
      continue;
    }
    eight_samples around;
    std::int64_t shared;
    const int count = segments_.place(part, j, around, shared);
    ++j;
    samples += count;
    float4 colour = around.inside ? shade<true>(around, shared, count, to_do_[number])
                                  : shade<false>(around, shared, count, to_do_[number]);
    if (!(colour[3] > 0)) continue;
    colour[3] = std::min(colour[3], 1.0f);  // opacities of the table may exceed 1 by rounding
    depth = deeper(depth, depth_of(1 - colour[3]));
    colour[3] = -colour[3];
    sum.add(colour);
  }
  std::memcpy(result.high, &sum.high, sizeof sum.high);
  std::memcpy(result.low, &sum.low, sizeof sum.low);
  return depth;
}

}  // namespace osteon::kernel
