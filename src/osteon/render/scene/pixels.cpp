#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <osteon/render/scene/image.hpp>

namespace osteon::render {

namespace {

// Level of an 8-bit sRGB channel for light in [0, 1], according to the definition of sRGB.
int level_by_definition(double light) {
  const double encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return static_cast<int>(std::lround(255 * encoded));
}

// Table of the levels. An entry contains all numbers with equal exponents and equal first 7 bits of the mantissa. Inside an
// entry, the level increases at most once.
class srgb_levels {
 public:
  srgb_levels() {
    for (std::uint64_t r = 0; r < level_at_.size(); ++r)
      level_at_[r] = static_cast<std::uint8_t>(level_by_definition(std::bit_cast<double>((first + r) << range_bits)));
    begins_.back() = 2;  // 2 is larger than any light
    for (int level = 1; level < 256; ++level) {
      // Positive numbers have the same order as their bits.
      std::uint64_t below = 0, from = std::bit_cast<std::uint64_t>(1.0);
      while (from - below > 1) {
        const std::uint64_t middle = below + (from - below) / 2;
        (level_by_definition(std::bit_cast<double>(middle)) < level ? below : from) = middle;
      }
      begins_[static_cast<std::size_t>(level)] = std::bit_cast<double>(from);
    }
  }
  std::uint8_t of(double light) const {
    if (!(light >= least)) return 0;
    if (light >= 1) return 255;
    const std::uint8_t level = level_at_[(std::bit_cast<std::uint64_t>(light) >> range_bits) - first];
    return static_cast<std::uint8_t>(level + (light >= begins_[level + 1U]));
  }

 private:
  static constexpr int range_bits = 52 - 7;
  static constexpr double least = 0x1p-13;  // this value is less than the light of level 1
  static constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(least) >> range_bits;
  std::array<std::uint8_t, 13 << 7> level_at_;
  std::array<double, 257> begins_{};
};

}  // namespace

std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background) {
  static const srgb_levels levels;
  std::vector<std::uint8_t> result(picture.rgba.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < picture.rgba.size() / 4 * 4; i += 4) {
    const double through = 1 - static_cast<double>(picture.rgba[i + 3]);
    for (std::size_t c = 0; c < 3; ++c) result[i + c] = levels.of(picture.rgba[i + c] + through * background[c]);
    result[i + 3] = 255;
  }
  return result;
}

}  // namespace osteon::render
