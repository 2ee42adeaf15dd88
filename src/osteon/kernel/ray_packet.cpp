#include <algorithm>
#include <cmath>
#include <cstring>
#include <osteon/kernel/lanes.hpp>
#include <osteon/kernel/ray_march.hpp>
#include <osteon/kernel/surface_light.hpp>

// Segments are worked on in stages, and each stage does all rays of a packet: what one ray waits for in a stage, a voxel or
// the result of a long chain of operations, does not hold up the others.

namespace osteon::kernel {

namespace {

using channels = double __attribute__((vector_size(32)));

// The accumulator of a ray: a wide_pixel.
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

[[gnu::always_inline]] inline float4 halves_of(const float8& a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline float sum_of(const float8& a) {
  const float4 b = halves_of(a), c = b + __builtin_shufflevector(b, b, 2, 3, 0, 1);
  return c[0] + c[1];
}

// The bits of a float count halvings, and between two of them what is left, nearly enough.
optical_depth depth_of(float transmittance) {
  constexpr std::int32_t one = 0x3f800000;
  std::int32_t bits;
  const float through = std::clamp(transmittance, 0.0f, 1.0f);
  std::memcpy(&bits, &through, sizeof bits);
  return static_cast<optical_depth>(std::min((one - bits) >> 11, 0xffff));
}

}  // namespace

// What eight samples show of a layer.
struct march_volume::look {
  float8 opacity, part, brightness, gloss;
  std::int32_t place[8];  // in the table of colours, bytes; and `part`, how far from it towards the next entry
  bool seen, lit;
};

constexpr std::int32_t entry_bytes = sizeof(std::array<float, 4>);

// The rays of a packet, and the segments at hand: one of each ray that is still under way. The arrays are short because they
// should stay in the first cache together with the voxels and the tables.
struct march_volume::packet {
  static constexpr int most = 16;
  std::span<travel> rays;
  ray_segments::part along[most];
  std::int64_t next[most];  // segment
  accumulator sum[most];

  int segments;
  int ray[most];  // of a segment, and how many samples it has
  int count[most];
  unsigned to_do[most];
  std::int64_t shared[most];
  double4 first[most];
  float8 value[most], slope[most][3];
  float4 colour[most];  // premultiplied, and the opacity
  eight_samples around[most];
  look looks[most_layers][most];

  // What is to be done about a layer (see to_do_).
  unsigned work(std::size_t layer, int segment) const { return to_do[segment] >> 2 * layer & 3; }
};

void march_volume::interpolate(std::size_t number, packet& p) const {
  const float* const values = layers_[number].given.values;
  for (int s = 0; s < p.segments; ++s)
    if (p.work(number, s)) p.value[s] = p.around[s].value(values + p.shared[s]);
}

// What is seen of a layer.
void march_volume::look_at(std::size_t number, packet& p) const {
  constexpr integer8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
  const layer& what = layers_[number];
  const auto last = static_cast<float>(what.opacities.size() - 2);
  for (int s = 0; s < p.segments; ++s) {
    if (!p.work(number, s)) continue;
    look& result = p.looks[number][s];
    float8 value = p.value[s], share = all(1.0f);
    integer8 seen = (value > what.visible_low) & (value < what.visible_high) & (numbered < p.count[s]);
    if (any(value != value)) {
      const float* const values = what.given.values + p.shared[s];
      float8 present;
      const float8 of_present = p.around[s].value_of_present(values, present);
      share = value == value ? share : present;
      value = value == value ? value : of_present;
      seen = (value > what.visible_low) & (value < what.visible_high) & (share > 0) & (numbered < p.count[s]);
    }
    result.seen = any(seen);
    result.lit = false;
    float8 at = (value - what.given.transfer.low) * what.scale;
    at = at > 0 ? at : float8{};
    at = at < last ? at : all(last);
    const integer8 entry = __builtin_convertvector(at, integer8), place = entry * entry_bytes;
    result.part = at - __builtin_convertvector(entry, float8);
    std::memcpy(result.place, &place, sizeof place);
    std::int32_t entries[8];
    std::memcpy(entries, &entry, sizeof entries);
    float8 opacity, next;
    pairs_at(what.opacities.data(), entries, opacity, next);
    result.opacity = seen ? lerp(opacity, next, result.part) * share : float8{};
  }
}

void march_volume::find_slopes(std::size_t number, packet& p) const {
  for (int s = 0; s < p.segments; ++s) {
    look& result = p.looks[number][s];
    result.lit = p.work(number, s) == 3 && result.seen;
    if (result.lit) p.around[s].slope(layers_[number].given.values + p.shared[s], p.slope[s]);
  }
}

// Light surfaces: where the value changes by a good part of the transfer function's range within a voxel.
void march_volume::illuminate(std::size_t number, packet& p) const {
  const march_layer& what = layers_[number].given;
  const float soft = 0.1f * (what.transfer.high - what.transfer.low);
  for (int s = 0; s < p.segments; ++s) {
    look& result = p.looks[number][s];
    if (!p.work(number, s) || !result.lit) continue;
    float8 square{}, facing{}, shining{};
    for (int axis = 0; axis < 3; ++axis) {
      const float8 slope = p.slope[s][axis] * inverse_spacing_[axis];
      square += slope * slope;
      facing -= slope * light_[axis];
      shining -= slope * half_way_[axis];
    }
    // No surface is known where a neighbour is empty (NaN). Light may overflow where nothing is seen.
    const integer8 steep = (square > 0) & (result.opacity > 0);
    const float8 steepness = square_root(steep ? square : all(1.0f)), inverse = 1 / steepness;
    const float8 surface = steepness / (steepness + soft);
    result.brightness = steep ? 1 - surface + surface * diffuse_light(facing * inverse) : all(1.0f);
    result.gloss = steep ? surface * mirrored_light(shining * inverse) : float8{};
  }
}

// Premultiplied colour and opacity of the segments' samples.
void march_volume::blend_samples(packet& p) const {
  for (int s = 0; s < p.segments; ++s) {
    const look* seen[most_layers];
    const char* tables[most_layers];
    int layers = 0;
    float8 through = all(1.0f), opacities{};
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const look& a = p.looks[l][s];
      if (!p.work(l, s) || !a.seen) continue;
      tables[layers] = reinterpret_cast<const char*>(layers_[l].colours.data());
      seen[layers++] = &a;
      through *= 1 - a.opacity;
      opacities += a.opacity;
    }
    p.colour[s] = float4{};
    if (layers == 0) continue;
    const float8 before = product_of_preceding(through);
    float8 weight = before, absorbed = before * opacities;
    if (layers > 1) {
      // Layers that share a sample absorb together; each colours it by its share of the opacity, whatever their order.
      weight *= opacities > 0 ? (1 - through) / opacities : float8{};
      absorbed = before * (1 - through);
    }
    float8 sum[2] = {};
    float shine = 0;
    for (int k = 0; k < layers; ++k) {
      const look& a = *seen[k];
      float8 bright = weight * a.opacity;
      if (a.lit) {
        shine += sum_of(bright * a.gloss);
        bright *= a.brightness;
      }
      // Of each sample side by side: the weights of the table's entry and of the next one.
      const float8 more = bright * a.part, less = bright - more;
      float factors[16];
      const float8 first = __builtin_shufflevector(less, more, 0, 8, 1, 9, 4, 12, 5, 13);
      const float8 second = __builtin_shufflevector(less, more, 2, 10, 3, 11, 6, 14, 7, 15);
      std::memcpy(factors, &first, sizeof first);
      std::memcpy(factors + 8, &second, sizeof second);
      constexpr int sample[8] = {0, 1, 4, 5, 2, 3, 6, 7};  // whose factors lie there
      for (int i = 0; i < 8; ++i) {
        double both;
        std::memcpy(&both, factors + 2 * i, sizeof both);
        const auto pair = (float8)(double4{both, both, both, both});
        float8 entries;
        std::memcpy(&entries, tables[k] + a.place[sample[i]], sizeof entries);
        sum[i & 1] += __builtin_shufflevector(pair, pair, 0, 0, 0, 0, 5, 5, 5, 5) * entries;
      }
    }
    p.colour[s] = halves_of(sum[0] + sum[1]) + shine;
    p.colour[s][3] = std::min(sum_of(absorbed), 1.0f);  // opacities of the table may exceed 1 by rounding
  }
}

// Put the segments behind what the rays have met so far. @return how many rays go on
int march_volume::accumulate(packet& p, int* alive) {
  int left = 0;
  for (int s = 0; s < p.segments; ++s) {
    const int i = p.ray[s];
    float4 colour = p.colour[s];
    travel& t = p.rays[static_cast<std::size_t>(i)];
    t.depth = deeper(t.depth, depth_of(1 - colour[3]));
    colour[3] = -colour[3];
    p.sum[i].add(colour);
    alive[left] = i;
    left += deeper(t.before, t.depth) < opaque_depth;
  }
  return left;
}

void march_volume::march_packet(packet& p, std::int64_t& samples) const {
  int alive[packet::most], left = 0;
  for (int i = 0; i < static_cast<int>(p.rays.size()); ++i) {
    travel& t = p.rays[static_cast<std::size_t>(i)];
    t.depth = 0;
    p.along[i] = segments_.of(t.along);
    p.next[i] = p.along[i].first;
    std::memcpy(&p.sum[i], &t.result, sizeof p.sum[i]);
    if (p.along[i].first < p.along[i].last && t.before < opaque_depth) alive[left++] = i;
  }
  while (left > 0) {
    int n = 0;
    for (int k = 0; k < left; ++k) {
      const int i = alive[k];
      std::size_t cell;
      if (!visible_.find(segments_, p.along[i], p.next[i], p.first[n], cell)) continue;
      p.to_do[n] = to_do_[cell];
      p.ray[n] = i;
      ++n;
    }
    p.segments = n;
    for (int s = 0; s < n; ++s) {
      const int i = p.ray[s];
      p.count[s] = segments_.place(p.along[i], p.next[i]++, p.first[s], shaded_, p.around[s], p.shared[s]);
      samples += p.count[s];
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      interpolate(l, p);
      look_at(l, p);
      if (!layers_[l].given.shaded) continue;
      find_slopes(l, p);
      illuminate(l, p);
    }
    blend_samples(p);
    left = accumulate(p, alive);
  }
  for (std::size_t i = 0; i < p.rays.size(); ++i) {
    std::memcpy(p.rays[i].result.high, &p.sum[i].high, sizeof p.sum[i].high);
    std::memcpy(p.rays[i].result.low, &p.sum[i].low, sizeof p.sum[i].low);
  }
}

void march_volume::march(std::span<travel> rays, std::int64_t& samples) const {
  packet under_way;
  for (std::size_t first = 0; first < rays.size(); first += packet::most) {
    under_way.rays = rays.subspan(first, std::min<std::size_t>(packet::most, rays.size() - first));
    march_packet(under_way, samples);
  }
}

}  // namespace osteon::kernel
