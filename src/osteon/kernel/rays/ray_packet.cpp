#include <algorithm>
#include <cmath>
#include <cstring>
#include <osteon/kernel/lanes.hpp>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/kernel/rays/surface_light.hpp>

// Segments are processed in stages. Each stage processes all rays of a packet. The processing of many rays hides the memory
// and instruction latency of individual rays.

namespace osteon::kernel {

namespace {

using channels = double4;

// Composite a segment behind the previous content of a ray. `colour` is premultiplied; its last channel is the opacity. The
// formula for colours, applied to the negative opacity, also updates the transmittance.
[[gnu::always_inline]] inline void add(const float4& colour, wide_pixel& sum) {
  constexpr channels sign = {1, 1, 1, -1};
  channels high, low;
  load(high, sum.high);
  load(low, sum.low);
  const double through = sum.high[3], rest = sum.low[3];
  const channels c = to_double(colour) * sign;
  const auto join = [&](const channels& exact, const channels& small) {
    const channels s = high + exact;
    const channels v = s - high;
    const channels e = ((high - (s - v)) + (exact - v)) + (low + small);
    high = s + e;
    low = e - (high - s);
  };
#ifdef __FMA__  // without FMA instructions, __builtin_fma would be a function call that dominates the run time
  const channels product = c * through;
  channels error;
  for (int i = 0; i < 4; ++i) error[i] = __builtin_fma(c[i], through, -product[i]);
  join(product, error + c * rest);
#else
  // Split the transmittance into 24 + 29 bits; products of the parts and a float are exact.
  const double coarse = static_cast<double>(static_cast<float>(through)), fine = through - coarse;
  join(c * coarse, c * rest);
  join(c * fine, channels{});
#endif
  store(sum.high, high);
  store(sum.low, low);
}

float8 square_root(float8 a) {
  for (int i = 0; i < 8; ++i) a[i] = std::sqrt(a[i]);
  return a;
}

// Broadcast one of the four lanes in each half of a register.
template <int Lane>
[[gnu::always_inline]] inline float8 spread(const float8& a) {
  return __builtin_shufflevector(a, a, Lane, Lane, Lane, Lane, Lane + 4, Lane + 4, Lane + 4, Lane + 4);
}
// Combine the colours of `colours` with the last channels of `last`.
[[gnu::always_inline]] inline float8 with_last(const float8& colours, const float8& last) {
  return __builtin_shufflevector(colours, last, 0, 1, 2, 11, 4, 5, 6, 15);
}

// Composites the samples of a segment, front to back. The lower half of a register contains the result of samples 0 to 3,
// and the upper half contains the result of samples 4 to 7.
struct two_sums {
  float8 colour{}, through = all(1.0f);

  // @param of_both premultiplied colours, with opacities as last channels @param opacity opacities in all channels
  [[gnu::always_inline]] inline void add(const float8& of_both, const float8& opacity) {
    colour += through * of_both;
    through -= through * opacity;
  }
  [[gnu::always_inline]] inline float4 whole() const {
    const float4 front = __builtin_shufflevector(colour, colour, 0, 1, 2, 3),
                 back = __builtin_shufflevector(colour, colour, 4, 5, 6, 7);
    float4 result = front + __builtin_shufflevector(through, through, 0, 1, 2, 3) * back;
    result[3] = std::min(result[3], 1.0f);  // sums of opacities may exceed 1 by rounding
    return result;
  }
};

// Call `body` with the numbers of the first four samples of a segment as constants.
template <class F>
[[gnu::always_inline]] inline void each_pair(F body) {
  body(std::integral_constant<int, 0>{});
  body(std::integral_constant<int, 1>{});
  body(std::integral_constant<int, 2>{});
  body(std::integral_constant<int, 3>{});
}

// Lower bound of the number of halvings of light along a part of a ray. The number is computed from the exponent of a float
// and log2(1 + f) of its fraction f. The logarithm is approximated by f + f (1 - f) c(f) with a linear function c. This
// approximation is too large by at most 0.005.
// @param through in [0, 1]
[[gnu::always_inline]] inline std::uint32_t depth_of(float through) {
  constexpr std::uint32_t one = 0x3f800000, fraction = 0x007fffff;
  constexpr float halving = 1 << 12;
  std::uint32_t bits;
  std::memcpy(&bits, &through, sizeof bits);
  const float f = static_cast<float>(bits & fraction) * 0x1p-23f;
  const float above = f * (1 - f) * (0.4427f - 0.16405f * f);
  const auto straight = static_cast<std::int32_t>((one - bits) >> 11);
  return static_cast<std::uint32_t>(std::max(straight - static_cast<std::int32_t>(above * halving) - 1, 0));
}

}  // namespace

// Appearance of a layer at eight samples.
struct march_volume::appearance {
  std::uint32_t entry[8];  // offsets in the table of colours [bytes]
  float8 part;             // fraction of the distance to the next entry
  float8 share;            // factor of the sample's opacity; not set if the factor is 1 for all samples
  float8 brightness, gloss;
  bool seen, whole, lit;

  // Colour and opacity of samples Number and Number + 4, in the two halves of a register.
  template <int Number>
  [[gnu::always_inline]] inline float8 of_two(const colour_entry* table) const {
    const auto both = [&](const colour_entry* from) {
      float4 low, high;
      load(low, reinterpret_cast<const std::byte*>(from) + entry[Number]);
      load(high, reinterpret_cast<const std::byte*>(from) + entry[Number + 4]);
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    };
    return lerp(both(table), both(table + 1), spread<Number>(part));
  }
  template <int Number>
  [[gnu::always_inline]] inline float8 opacity(const float8& colour) const {
    return whole ? spread<3>(colour) : spread<3>(colour) * spread<Number>(share);
  }
  template <int Number>
  [[gnu::always_inline]] inline float8 in_light(const float8& colour) const {
    return colour * with_last(spread<Number>(brightness), all(1.0f)) + with_last(spread<Number>(gloss), float8{});
  }
};

// Rays of a packet, and the current segment of each unfinished ray. A larger packet reduces the number of reads of each
// cache line; a smaller packet leaves more cache for voxels.
struct march_volume::packet {
  static constexpr int most = 64;
  std::span<travel> rays;
  four_rays fours[most / 4];
  float step[3][most];                 // step between samples [voxels]
  float from[3][most], base[3][most];  // see ray_segments::four_places
  double offset[most];

  int segments;
  std::uint32_t word[most];  // per segment; the comment of end_bit describes the content
  int count[most];           // number of samples
  std::int64_t shared[most];
  eight_places around[most];
  float8 value[most];
  float4 colour[most];  // premultiplied colour, and opacity

  // Shading: positions of slopes, and slopes.
  eight_places near[most];
  float8 slope[most][3];
  bool sloped[most];  // true if the slopes of this layer were computed with its values
  appearance appearances[most_layers][most];

  // The word of a segment contains the index of the ray, the work for layers (see to_do_), and a bit for segments at an end
  // of the domain.
  static constexpr std::uint32_t end_bit = 1 << 16;
  int ray(int segment) const { return word[segment] & 255; }
  unsigned work(std::size_t layer, int segment) const { return word[segment] >> (8 + 2 * layer) & 3; }
  bool at_an_end(int segment) const { return (word[segment] & end_bit) != 0; }
};

void march_volume::interpolate(std::size_t number, packet& p) const {
  const float* const values = layers_[number].settings.values;
  const voxel_strides across = segments_.across();
  const bool shaded = layers_[number].settings.shaded;
  for (int s = 0; s < p.segments; ++s) {
    const unsigned work = p.work(number, s);
    if (work == 0) continue;
    // A ray that has reached visible voxels probably remains in visible voxels. The slopes of such a ray are therefore
    // computed together with the values, although some segments do not need slopes.
    p.sloped[s] = shaded && work == 3 && p.rays[static_cast<std::size_t>(p.ray(s))].depth > 0 && !p.at_an_end(s);
    const float* const from = values + p.shared[s];
    p.value[s] = p.sloped[s] ? p.around[s].slope(from, across, p.slope[s]) : p.around[s].value(from, across);
  }
}

// Compute the appearance of a layer in a segment.
[[gnu::always_inline]] inline void march_volume::evaluate(const layer& source, const packet& p, int s,
                                                          appearance& result) const {
  float8 value = p.value[s];
  const auto visible = [&] { return (value > source.visible_low) & (value < source.visible_high); };
  integer8 seen = visible();
  result.seen = result.whole = every(seen) && p.count[s] == 8;
  if (!result.whole) {
    constexpr integer8 numbered = {0, 1, 2, 3, 4, 5, 6, 7};
    result.share = all(1.0f);
    if (any(value != value)) {
      float8 present;
      const float8 of_present =
          p.around[s].value_of_present(source.settings.values + p.shared[s], segments_.across(), present);
      result.share = value == value ? result.share : present;
      value = value == value ? value : of_present;
      seen = visible() & (result.share > 0);
    }
    seen &= numbered < p.count[s];
    result.seen = any(seen);
    if (!result.seen) return;
    result.share = seen ? result.share : float8{};
  }
  const float8 last = all(source.last);
  float8 at = (value - source.settings.transfer.low) * source.scale;
  at = at > 0 ? at : float8{};
  at = at < last ? at : last;
  const integer8 entry = __builtin_convertvector(at, integer8);
  static_assert(sizeof(colour_entry) == 1 << 4);
  store(result.entry, entry << 4);
  by_memory(result.entry);
  result.part = at - __builtin_convertvector(entry, float8);
}

void march_volume::evaluate(std::size_t number, packet& p) const {
  for (int s = 0; s < p.segments; ++s) {
    if (!p.work(number, s)) continue;
    appearance& result = p.appearances[number][s];
    evaluate(layers_[number], p, s, result);
    result.lit = false;
  }
}

void march_volume::find_slopes(std::size_t number, packet& p) const {
  const float* const values = layers_[number].settings.values;
  const voxel_strides across = segments_.across();
  for (int s = 0; s < p.segments; ++s) {
    appearance& result = p.appearances[number][s];
    result.lit = p.work(number, s) == 3 && result.seen;
    if (!result.lit || p.sloped[s]) continue;
    const eight_places& where = p.at_an_end(s) ? p.near[s] : p.around[s];
    where.slope(values + p.shared[s], across, p.slope[s]);
  }
}

// Apply lighting at surfaces. At a surface, the value changes within a voxel by a considerable part of the transfer
// function's range.
void march_volume::illuminate(std::size_t number, packet& p) const {
  const march_layer& source = layers_[number].settings;
  const float soft = 0.1f * (source.transfer.high - source.transfer.low);
  for (int s = 0; s < p.segments; ++s) {
    appearance& result = p.appearances[number][s];
    if (!p.work(number, s) || !result.lit) continue;
    float8 square{}, facing{}, shining{};
    for (int axis = 0; axis < 3; ++axis) {
      const float8 slope = p.slope[s][axis] * inverse_spacing_[axis];
      square += slope * slope;
      facing -= slope * light_[axis];
      shining -= slope * half_way_[axis];
    }
    // The surface is undefined if a neighbour is empty (NaN) or the square overflows.
    const integer8 steep = (square > 0) & (square < std::numeric_limits<float>::infinity());
    const float8 steepness = square_root(steep ? square : all(1.0f)), inverse = 1 / steepness;
    const float8 surface = steepness / (steepness + soft);
    result.brightness = steep ? 1 - surface + surface * diffuse_light(facing * inverse) : all(1.0f);
    result.gloss = steep ? surface * mirrored_light(shining * inverse) : float8{};
  }
}

// Image of a segment composited from its samples: premultiplied colour, and opacity.
template <bool Lit>
[[gnu::always_inline]] inline float4 march_volume::blend_layers(const appearance& seen, const colour_entry* table) {
  two_sums sum;
  each_pair([&](auto number) {
    float8 colour = seen.of_two<number>(table);
    const float8 opacity = seen.opacity<number>(colour);
    if constexpr (Lit) colour = seen.in_light<number>(colour);
    sum.add(opacity * with_last(colour, all(1.0f)), opacity);
  });
  return sum.whole();
}

// Image of a segment with several layers. Layers at one sample absorb jointly. Each layer contributes colour in proportion
// to its opacity; the result is independent of the order of layers.
float4 march_volume::blend_layers(std::span<const appearance* const> seen, std::span<const colour_entry* const> tables) {
  two_sums sum;
  each_pair([&](auto number) {
    float8 colours{}, opacities{}, through = all(1.0f);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      float8 colour = seen[k]->of_two<number>(tables[k]);
      const float8 opacity = seen[k]->opacity<number>(colour);
      if (seen[k]->lit) colour = seen[k]->in_light<number>(colour);
      colours += opacity * colour;
      opacities += opacity;
      through *= 1 - opacity;
    }
    const float8 absorbed = 1 - through;
    const float8 share = opacities > 0 ? absorbed / opacities : float8{};
    sum.add(with_last(share * colours, absorbed), absorbed);
  });
  return sum.whole();
}

// Combines evaluate() and blend_samples() for a single layer without light.
void march_volume::blend_one_layer(packet& p) const {
  const layer& source = layers_.front();
  const colour_entry* const table = source.table.data();
  for (int s = 0; s < p.segments; ++s) {
    appearance seen;
    p.colour[s] = float4{};
    if (!p.work(0, s)) continue;
    evaluate(source, p, s, seen);
    if (!seen.seen) continue;
    if (seen.whole) {
      seen.whole = true;  // a compile-time constant here
      p.colour[s] = blend_layers<false>(seen, table);
    } else {
      p.colour[s] = blend_layers<false>(seen, table);
    }
  }
}

// Compute premultiplied colour and opacity of the segments.
void march_volume::blend_samples(packet& p) const {
  for (int s = 0; s < p.segments; ++s) {
    const appearance* seen[most_layers];
    const colour_entry* tables[most_layers];
    std::size_t layers = 0;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const appearance& a = p.appearances[l][s];
      if (!p.work(l, s) || !a.seen) continue;
      tables[layers] = layers_[l].table.data();
      seen[layers++] = &a;
    }
    if (layers > 1)
      p.colour[s] = blend_layers({seen, layers}, {tables, layers});
    else if (layers == 1)
      p.colour[s] = seen[0]->lit ? blend_layers<true>(*seen[0], tables[0]) : blend_layers<false>(*seen[0], tables[0]);
    else
      p.colour[s] = float4{};
  }
}

// Find the next segments of the rays.
void march_volume::find_segments(packet& p) const {
  const int fours = static_cast<int>(p.rays.size() + 3) / 4;
  const double4 samples = all(static_cast<double>(segments_.samples()));
  int n = 0;
  for (int four = 0; four < fours; ++four) {
    four_rays& rays = p.fours[four];
    integer4 marks;
    const lanes4 have = visible_.find(segments_, rays, marks);
    const unsigned found = bits(have);
    if (found == 0) continue;
    const auto places = segments_.place(rays);
    for (int axis = 0; axis < 3; ++axis) {
      store(p.from[axis] + 4 * four, places.from[axis]);
      store(p.base[axis] + 4 * four, places.base[axis]);
    }
    store(p.offset + 4 * four, places.shared);
    const integer4 end = __builtin_convertvector(places.at_an_end, integer4) & static_cast<std::int32_t>(packet::end_bit);
    const integer4 words = (integer4{0, 1, 2, 3} + 4 * four) | marks | end;
    if (found == 15) {
      store(p.word + n, words);
      n += 4;
    } else {
      for (int lane = 0; lane < 4; ++lane)
        if (found >> lane & 1) p.word[n++] = static_cast<std::uint32_t>(words[lane]);
    }
    rays.begin += have ? samples : double4{};
  }
  p.segments = n;
}

// Find the voxels around the segments' samples.
void march_volume::place_samples(packet& p, std::int64_t& samples) const {
  const float* const values = layers_.front().settings.values;
  const voxel_strides across = segments_.across();
  const int whole = segments_.samples();
  std::int64_t sum = 0;
  for (int s = 0; s < p.segments; ++s) {
    const int i = p.ray(s);
    eight_places& around = p.around[s];
    p.shared[s] = static_cast<std::int64_t>(p.offset[i]);
    int count = whole;
    const float from[3] = {p.from[0][i], p.from[1][i], p.from[2][i]}, step[3] = {p.step[0][i], p.step[1][i], p.step[2][i]};
    if (!p.at_an_end(s)) {
      segments_.place_inside(from, step, around);
    } else {
      const four_rays& rays = p.fours[i / 4];  // `begin` of these rays has already advanced by one segment
      const float base[3] = {p.base[0][i], p.base[1][i], p.base[2][i]};
      count = std::min(whole, static_cast<int>(rays.count[i % 4] - rays.begin[i % 4]) + whole);
      segments_.place_at_an_end(from, step, base, count, 0, around);
      if (shaded_) segments_.place_at_an_end(from, step, base, count, 1, p.near[s]);
    }
    p.count[s] = count;
    sum += count;
    // Prefetch some of the cache lines around the samples; neighbouring rays prefetch the other lines.
    const float* const row = values + p.shared[s];
    const float* const rows[4] = {row, row + across.z, row + across.y, row + across.z + across.y};
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) __builtin_prefetch(rows[k] + around.first[2 * k + (k >> 1)]);
  }
  samples += sum;
}

// Composite the segments behind the previous segments of the rays.
void march_volume::accumulate(packet& p) {
  for (int s = 0; s < p.segments; ++s) {
    const int i = p.ray(s);
    travel& t = p.rays[static_cast<std::size_t>(i)];
    t.depth = static_cast<optical_depth>(std::min(t.depth + depth_of(1 - p.colour[s][3]), 0xffffU));
    add(p.colour[s], t.result);
    if (std::uint32_t{t.before} + t.depth >= opaque_depth) p.fours[i / 4].begin[i % 4] = p.fours[i / 4].end[i % 4];
  }
}

void march_volume::march_packet(packet& p, std::int64_t& samples) const {
  static constexpr ray none{};
  for (std::size_t first = 0; first < p.rays.size(); first += 4) {
    const ray* four[4] = {&none, &none, &none, &none};
    for (std::size_t i = first; i < std::min(first + 4, p.rays.size()); ++i) {
      travel& t = p.rays[i];
      t.depth = 0;
      if (t.before < opaque_depth) four[i - first] = &t.along;
    }
    four_rays& rays = p.fours[first / 4];
    segments_.put(four, rays);
    for (int axis = 0; axis < 3; ++axis)
      store(p.step[axis] + first, __builtin_convertvector(segments_.step_mm() * rays.direction[axis], float4));
  }
  const bool plain = layers_.size() == 1 && !shaded_;
  for (find_segments(p); p.segments > 0; find_segments(p)) {
    place_samples(p, samples);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      interpolate(l, p);
      if (plain) continue;
      evaluate(l, p);
      if (!layers_[l].settings.shaded) continue;
      find_slopes(l, p);
      illuminate(l, p);
    }
    plain ? blend_one_layer(p) : blend_samples(p);
    accumulate(p);
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
