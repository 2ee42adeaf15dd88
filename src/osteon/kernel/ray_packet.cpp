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
  // transmittance changes by the same formula as the colours.
  void add(const float4& colour) {
    const double through = high[3], rest = low[3];
    const channels c = __builtin_convertvector(colour, channels);
#ifdef __FMA__  // elsewhere it is a function that takes longer than all the rest
    const channels product = c * through;
    channels error;
    for (int i = 0; i < 4; ++i) error[i] = __builtin_fma(c[i], through, -product[i]);
    join(product, error + c * rest);
#else
    // The transmittance is cut into 24 + 29 bits, whose products with a float are exact.
    const double coarse = static_cast<double>(static_cast<float>(through)), fine = through - coarse;
    join(c * coarse, c * rest);
    join(c * fine, channels{});
#endif
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

// Of each lane, the product of those before it. Lanes are moved within the halves of a register: to move them across takes
// eight times as long.
[[gnu::always_inline]] inline float8 product_of_preceding(const float8& a) {
  const float8 one = all(1.0f);
  float8 p = __builtin_shufflevector(one, a, 0, 8, 9, 10, 4, 12, 13, 14);
  p *= __builtin_shufflevector(one, p, 0, 8, 9, 10, 4, 12, 13, 14);
  p *= __builtin_shufflevector(one, p, 0, 1, 8, 9, 4, 5, 12, 13);
  const float8 through = p * a;
  return p * __builtin_shufflevector(one, through, 0, 1, 2, 3, 11, 11, 11, 11);
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
  integer8 entry;  // in the table of colours; and `part`, how far from it towards the next entry
  bool seen, lit;

  // Add the samples' colours. @param bright weight of each
  [[gnu::always_inline]] inline void add_colours(const std::vector<std::array<float, 4>>& table, const float8& bright,
                                                 float8 (&sum)[2]) const {
    // Of each sample side by side: the weights of the table's entry and of the next one.
    const float8 more = bright * part, less = bright - more;
    float factors[16];
    const float8 first = __builtin_shufflevector(less, more, 0, 8, 1, 9, 4, 12, 5, 13);
    const float8 second = __builtin_shufflevector(less, more, 2, 10, 3, 11, 6, 14, 7, 15);
    std::memcpy(factors, &first, sizeof first);
    std::memcpy(factors + 8, &second, sizeof second);
    std::int32_t place[8];
    std::memcpy(place, &entry, sizeof place);
    constexpr int sample[8] = {0, 1, 4, 5, 2, 3, 6, 7};  // whose factors lie there
    const auto* const entries = table.data();
    for (int i = 0; i < 8; ++i) {
      double both;
      std::memcpy(&both, factors + 2 * i, sizeof both);
      const auto pair = (float8)(double4{both, both, both, both});
      float8 two;
      std::memcpy(&two, entries + place[sample[i]], sizeof two);
      sum[i & 1] += __builtin_shufflevector(pair, pair, 0, 0, 0, 0, 5, 5, 5, 5) * two;
    }
  }
};

// The rays of a packet, and the segments at hand: one of each ray that is still under way. With more rays, each line of
// voxels is read less often; with fewer, there is more room for the lines in the caches.
struct march_volume::packet {
  static constexpr int most = 64;
  std::span<travel> rays;
  ray_segments::part along[most];
  four_rays fours[most / 4];
  float from[3][most];  // see ray_segments::four_places
  double offset[most];
  accumulator sum[most];

  int segments;
  int ray[most];  // of a segment, and how many samples it has
  int count[most];
  std::uint8_t to_do[most];
  bool at_an_end[most];
  std::int64_t shared[most];
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

// What is seen of a layer in a segment. @return false if nothing
[[gnu::always_inline]] inline bool march_volume::look_at(const layer& what, const packet& p, int s, look& result) {
  constexpr integer8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto last = static_cast<float>(what.opacities.size() - 2);
  float8 value = p.value[s], share = all(1.0f);
  integer8 seen = (value > what.visible_low) & (value < what.visible_high) & (numbered < p.count[s]);
  const bool whole = every(seen);
  if (!whole && any(value != value)) {
    const float* const values = what.given.values + p.shared[s];
    float8 present;
    const float8 of_present = p.around[s].value_of_present(values, present);
    share = value == value ? share : present;
    value = value == value ? value : of_present;
    seen = (value > what.visible_low) & (value < what.visible_high) & (share > 0) & (numbered < p.count[s]);
  }
  if (!whole && !any(seen)) return false;
  float8 at = (value - what.given.transfer.low) * what.scale;
  at = at > 0 ? at : float8{};
  at = at < last ? at : all(last);
  result.entry = __builtin_convertvector(at, integer8);
  result.part = at - __builtin_convertvector(result.entry, float8);
  std::int32_t entries[8];
  std::memcpy(entries, &result.entry, sizeof entries);
  float8 opacity, next;
  pairs_at(what.opacities.data(), entries, opacity, next);
  opacity = lerp(opacity, next, result.part);
  result.opacity = whole ? opacity : seen ? opacity * share : float8{};
  return true;
}

void march_volume::look_at(std::size_t number, packet& p) const {
  for (int s = 0; s < p.segments; ++s) {
    if (!p.work(number, s)) continue;
    look& result = p.looks[number][s];
    result.seen = look_at(layers_[number], p, s, result);
    result.lit = false;
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

// The same as look_at() and blend_samples(), where there is but one layer, without light.
void march_volume::blend_one_layer(packet& p) const {
  const layer& what = layers_.front();
  for (int s = 0; s < p.segments; ++s) {
    look seen;
    p.colour[s] = float4{};
    if (!p.work(0, s) || !look_at(what, p, s, seen)) continue;
    const float8 bright = product_of_preceding(1 - seen.opacity) * seen.opacity;
    float8 sum[2] = {};
    seen.add_colours(what.colours, bright, sum);
    p.colour[s] = halves_of(sum[0] + sum[1]);
    p.colour[s][3] = std::min(sum_of(bright), 1.0f);  // opacities of the table may exceed 1 by rounding
  }
}

// Premultiplied colour and opacity of the segments' samples.
void march_volume::blend_samples(packet& p) const {
  for (int s = 0; s < p.segments; ++s) {
    const look* seen[most_layers];
    const std::vector<std::array<float, 4>>* tables[most_layers];
    int layers = 0;
    float8 through = all(1.0f), opacities{};
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const look& a = p.looks[l][s];
      if (!p.work(l, s) || !a.seen) continue;
      tables[layers] = &layers_[l].colours;
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
      a.add_colours(*tables[k], bright, sum);
    }
    p.colour[s] = halves_of(sum[0] + sum[1]) + shine;
    p.colour[s][3] = std::min(sum_of(absorbed), 1.0f);  // opacities of the table may exceed 1 by rounding
  }
}

// Find the next segments of the rays.
void march_volume::find_segments(packet& p) const {
  int n = 0;
  for (int four = 0; four < packet::most / 4; ++four) {
    four_rays& rays = p.fours[four];
    integer4 cell;
    const lanes4 have = visible_.find(segments_, rays, cell);
    const unsigned found = bits(have);
    if (found == 0) continue;
    const auto places = segments_.place(rays);
    for (int axis = 0; axis < 3; ++axis) std::memcpy(p.from[axis] + 4 * four, &places.from[axis], sizeof(float4));
    std::memcpy(p.offset + 4 * four, &places.shared, sizeof(double4));
    const unsigned at_an_end = bits(places.at_an_end);
    const auto take = [&](int lane) {
      p.ray[n] = 4 * four + lane;
      p.to_do[n] = to_do_[static_cast<std::size_t>(cell[lane])];
      p.at_an_end[n++] = at_an_end >> lane & 1;
    };
    if (found == 15) {
#pragma GCC unroll 4
      for (int lane = 0; lane < 4; ++lane) take(lane);
    } else {
      for (int lane = 0; lane < 4; ++lane)
        if (found >> lane & 1) take(lane);
    }
    rays.begin += have ? double4{} + static_cast<double>(segments_.samples()) : double4{};
  }
  p.segments = n;
}

// Find the voxels around the segments' samples.
void march_volume::place_samples(packet& p, std::int64_t& samples) const {
  const float* const values = layers_.front().given.values;
  for (int s = 0; s < p.segments; ++s) {
    const int i = p.ray[s];
    eight_samples& around = p.around[s];
    if (p.at_an_end[s]) {
      const four_rays& rays = p.fours[i / 4];
      const int lane = i % 4;
      const double4 at{rays.at[0][lane], rays.at[1][lane], rays.at[2][lane], 0};
      const auto segment = static_cast<std::int64_t>(rays.begin[lane]) / segments_.samples() - 1;
      p.count[s] = segments_.place_at_an_end(p.along[i], segment, at, shaded_, around, p.shared[s]);
    } else {
      p.count[s] = segments_.samples();
      p.shared[s] = static_cast<std::int64_t>(p.offset[i]);
      segments_.place_inside(p.along[i], {p.from[0][i], p.from[1][i], p.from[2][i]}, around);
    }
    samples += p.count[s];
    // One of the four rows around each sample; neighbouring rays ask for the others.
    for (int k = 0; k < 8; ++k) {
      const std::int64_t row = (k & 1) * around.across_z + (k >> 1 & 1) * around.across_y;
      __builtin_prefetch(values + (p.shared[s] + around.at.first[k] + row));
    }
  }
}

// Put the segments behind what the rays have met so far.
void march_volume::accumulate(packet& p) {
  for (int s = 0; s < p.segments; ++s) {
    const int i = p.ray[s];
    float4 colour = p.colour[s];
    travel& t = p.rays[static_cast<std::size_t>(i)];
    t.depth = deeper(t.depth, depth_of(1 - colour[3]));
    colour[3] = -colour[3];
    p.sum[i].add(colour);
    if (deeper(t.before, t.depth) >= opaque_depth) p.fours[i / 4].begin[i % 4] = p.fours[i / 4].end[i % 4];
  }
}

void march_volume::march_packet(packet& p, std::int64_t& samples) const {
  for (four_rays& four : p.fours) four.begin = four.end = double4{};
  for (int i = 0; i < static_cast<int>(p.rays.size()); ++i) {
    travel& t = p.rays[static_cast<std::size_t>(i)];
    t.depth = 0;
    std::memcpy(&p.sum[i], &t.result, sizeof p.sum[i]);
    p.along[i] = segments_.of(t.along);
    if (t.before < opaque_depth) segments_.put(p.along[i], p.fours[i / 4], i % 4);
  }
  const bool plain = layers_.size() == 1 && !shaded_;
  for (find_segments(p); p.segments > 0; find_segments(p)) {
    place_samples(p, samples);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      interpolate(l, p);
      if (plain) continue;
      look_at(l, p);
      if (!layers_[l].given.shaded) continue;
      find_slopes(l, p);
      illuminate(l, p);
    }
    plain ? blend_one_layer(p) : blend_samples(p);
    accumulate(p);
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
