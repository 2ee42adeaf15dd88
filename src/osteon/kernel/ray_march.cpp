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
  const vector3 toward = unit(light.toward_light);
  const vector3 half_way =
      unit({toward.z + light.toward_eye.z, toward.y + light.toward_eye.y, toward.x + light.toward_eye.x});
  const double finest = std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x});
  for (int axis = 0; axis < 3; ++axis) {
    inverse_spacing_[axis] = static_cast<float>(finest / spacing_mm[axis]);
    light_[axis] = static_cast<float>(toward[axis]);
    half_way_[axis] = static_cast<float>(half_way[axis]);
  }
  for (march_layer& l : layers) {
    const auto [low, high] = visible_range(l.transfer);
    const float width = l.transfer.high - l.transfer.low;
    const float scale = width > 0 ? static_cast<float>(l.transfer.entries.size() - 1) / width : infinite;
    layers_.push_back({std::move(l), scale, low, high});
  }
  find_empty_space(owned, present, ghosts_needed(step_voxels));
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
[[gnu::always_inline]] inline void march_volume::illuminate(const layer& what, const eight_samples& around,
                                                            const float* values, float8& brightness, float8& gloss) const {
  float8 slope[3], square{}, facing{}, shining{};
  around.slope(values, slope);
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

// Premultiplied colour and opacity of a segment's samples.
[[gnu::always_inline]] inline march_volume::float4 march_volume::shade(const eight_samples& around, std::int64_t shared,
                                                                       int count, unsigned what) const {
  constexpr integer8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
  const bool alone = layers_.size() == 1;
  float4 sum{};
  // Of several layers: what they add to each sample, the light that passes through them, the sum of their opacities.
  float4 mixed[8];
  float through[8], opacities[8];
  bool seen_any = false;
  for (const layer& l : layers_) {
    const unsigned to_do = what & 3;
    what >>= 2;
    if (to_do == 0) continue;
    const float* values = l.given.values + shared;
    float8 value = around.value(values), share = all(1.0f);
    const bool partial = any(value != value);
    if (partial) {
      float8 present;
      const float8 of_present = around.value_of_present(values, present);
      share = value == value ? share : present;
      value = value == value ? value : of_present;
    }
    const integer8 seen = (value > l.visible_low) & (value < l.visible_high) & (share > 0) & (numbered < count);
    if (!any(seen)) continue;
    if (!alone && !seen_any)
      for (int i = 0; i < 8; ++i) {
        mixed[i] = float4{};
        through[i] = 1;
        opacities[i] = 0;
      }
    seen_any = true;
    float8 brightness = all(l.given.emission), gloss{};
    const bool lit = l.given.shaded && to_do == 3;
    if (lit) illuminate(l, around, values, brightness, gloss);
    const bool plain = !lit && !partial && l.given.emission == 1;
    const auto& entries = l.given.transfer.entries;
    const auto last = static_cast<float>(entries.size() - 1);
    float8 at = (value - l.given.transfer.low) * l.scale;
    at = at > 0 ? at : float8{};
    at = at < last ? at : all(last);
    integer8 entry = __builtin_convertvector(at, integer8);
    entry =
        entry < static_cast<std::int32_t>(entries.size()) - 2 ? entry : all(static_cast<std::int32_t>(entries.size()) - 2);
    const float8 part = at - __builtin_convertvector(entry, float8);
    // One sample after the other: from memory a lane comes to all places of a register in one step.
    float parts[8], shares[8], bright[8], glosses[8];
    std::int32_t places[8], shown[8];
    std::memcpy(parts, &part, sizeof parts);
    std::memcpy(places, &entry, sizeof places);
    std::memcpy(shown, &seen, sizeof shown);
    const std::array<float, 4>* const table = entries.data();
    const auto look_up = [&](int i) {
      float4 low, high;
      std::memcpy(&low, table + places[i], sizeof low);
      std::memcpy(&high, table + places[i] + 1, sizeof high);
      return low + parts[i] * (high - low);
    };
    if (alone && plain) {  // the same in fewer steps
      for (int i = 0; i < 8; ++i) {
        if (!shown[i]) continue;
        float4 look = look_up(i);
        const float opacity = look[3];
        look[3] = 1;
        sum += (1 - sum[3]) * (opacity * look);
      }
      continue;
    }
    std::memcpy(shares, &share, sizeof shares);
    std::memcpy(bright, &brightness, sizeof bright);
    std::memcpy(glosses, &gloss, sizeof glosses);
    for (int i = 0; i < 8; ++i) {
      if (!shown[i]) continue;
      const float4 look = look_up(i);
      const float opacity = look[3] * shares[i];
      float4 colour = opacity * (look * bright[i] + glosses[i]);
      if (alone) {
        colour[3] = opacity;
        sum += (1 - sum[3]) * colour;
      } else {
        mixed[i] += colour;
        through[i] *= 1 - opacity;
        opacities[i] += opacity;
      }
    }
  }
  if (alone || !seen_any) return sum;
  for (int i = 0; i < 8; ++i) {
    if (!(opacities[i] > 0)) continue;
    // Layers that share a sample absorb together; each colours it by its share of the opacity, whatever their order.
    const float opacity = 1 - through[i];
    float4 colour = mixed[i] * (opacity / opacities[i]);
    colour[3] = opacity;
    sum += (1 - sum[3]) * colour;
  }
  return sum;
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
    const float8 value = around.value_of_present(what.values + shared, share);
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
    index3 cell;
    for (int axis = 0; axis < 3; ++axis) {
      const auto voxel = static_cast<std::int64_t>(segments_.middle(part, j, axis)) - first_voxel_[axis];
      // What rounding puts just outside of the domain belongs to its first or last plane.
      cell[axis] = std::clamp<std::int64_t>(voxel / value_bounds::edge, 0, cells_[axis] - 1);
    }
    const auto number = static_cast<std::size_t>((cell.z * cells_.y + cell.y) * cells_.x + cell.x);
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
    float4 colour = shade(around, shared, count, to_do_[number]);
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
