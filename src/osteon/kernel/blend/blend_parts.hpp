#pragma once
/// @file
/// Implementation of `blend` for each family of formats.
#include <algorithm>
#include <cstring>
#include <osteon/kernel/blend/blend.hpp>
#include <utility>
#include <vector>

namespace osteon::kernel {

#if defined(__AVX512BW__)
inline constexpr int blend_words = 16;  ///< number of 32-bit words of a vector
#else
inline constexpr int blend_words = 8;
#endif
typedef std::uint32_t words __attribute__((vector_size(4 * blend_words)));
typedef std::int32_t integers __attribute__((vector_size(4 * blend_words)));
typedef float floats __attribute__((vector_size(4 * blend_words)));

/// Lane i of the result is lane `Place{}(i)` of the concatenation of a and b.
template <class Place, class V>
[[gnu::always_inline]] inline V shuffled(const V& a, const V& b, Place) {
  return [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, Place{}(i)...);
  }(std::make_integer_sequence<int, sizeof(V) / sizeof(a[0])>{});
}

/// Number of layers that are read concurrently. Images of a size that is a power of two map to the same sets of an 8-way
/// cache; more than eight layers would evict each other from the cache.
inline constexpr std::size_t layers_at_once = 8;

/// RGBA8 and RGBA16.
void blend_fixed_point(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count);
/// RGBA16F and RGBA32F.
void blend_floating_point(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count);
/// Select the nearest of pixels with depth, all of one format.
void select_nearest(pixel_format format, std::byte* out, std::span<const layer> layers, std::int64_t count);

/// Call whole(out, layers, count) for multiples of `Pixels`. The remaining pixels are processed in a padded copy; the
/// arithmetic is therefore the same for all pixels.
template <int Pixels, class Whole>
inline void pad_to_vectors(std::size_t pixel_bytes, std::byte* out, std::span<const layer> layers, std::int64_t count,
                           Whole whole) {
  const std::int64_t full = count / Pixels * Pixels;
  if (full > 0) whole(out, layers, full);
  if (full == count) return;
  const auto done = static_cast<std::size_t>(full), left = static_cast<std::size_t>(count - full);
  std::vector<std::byte> padded((layers.size() + 1) * Pixels * 16);
  std::vector<layer> rest(layers.begin(), layers.end());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t bytes = layers[l].format.bytes();
    std::byte* const copy = padded.data() + (l + 1) * Pixels * 16;
    std::memcpy(copy, layers[l].pixels + done * bytes, left * bytes);
    rest[l].pixels = copy;
  }
  whole(padded.data(), std::span<const layer>(rest), std::int64_t{Pixels});
  std::memcpy(out + done * pixel_bytes, padded.data(), left * pixel_bytes);
}

/// The layers from pixel `at` on.
inline std::vector<layer> advanced(std::span<const layer> layers, std::int64_t at) {
  std::vector<layer> result(layers.begin(), layers.end());
  for (layer& l : result) l.pixels += static_cast<std::size_t>(at) * l.format.bytes();
  return result;
}

/// Blend layers from back to front. `Family::sum` stores `Family::pixels` pixels of a family of formats and provides
/// load<One>, over() and store(). `One` is true if all layers have the narrow format of the family.
template <class Family, bool One>
inline void blend_vectors(colour_format format, std::byte* out, std::span<const layer> layers, std::int64_t count) {
  constexpr std::int64_t block =
      512;  // number of pixels with sums that fit into the first-level cache between batches of layers
  typename Family::sum behind[block / Family::pixels];
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t size = std::min(block, count - begin);
    const std::vector<layer> part = advanced(layers, begin);
    std::byte* const to = out + static_cast<std::size_t>(begin) * bytes_of(format);
    std::size_t left = part.size();
    for (bool first = true; left > 0; first = false) {
      const std::size_t batch = std::min(left, layers_at_once), back = left - (first ? 1 : 0);
      left -= batch;
      for (std::int64_t at = 0; at < size; at += Family::pixels) {
        auto& there = behind[at / Family::pixels];
        auto sum = first ? Family::template load<One>(part.back(), at) : there;
        for (std::size_t l = back; l-- > left;) sum = Family::over(Family::template load<One>(part[l], at), sum);
        if (left == 0)
          Family::store(format, to, at, sum);
        else
          there = sum;
      }
    }
  }
}

}  // namespace osteon::kernel
