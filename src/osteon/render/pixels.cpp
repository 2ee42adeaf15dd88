#include <algorithm>
#include <cmath>
#include <osteon/render/picture.hpp>

namespace osteon::render {

namespace {

std::uint8_t to_srgb(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  const double encoded = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

}  // namespace

std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background) {
  std::vector<std::uint8_t> result(picture.rgba.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < picture.rgba.size() / 4 * 4; i += 4) {
    const double through = 1 - static_cast<double>(picture.rgba[i + 3]);
    for (std::size_t c = 0; c < 3; ++c) result[i + c] = to_srgb(picture.rgba[i + c] + through * background[c]);
    result[i + 3] = 255;
  }
  return result;
}

}  // namespace osteon::render
