#include <studies/compositing/pixels/fast_blend.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <osteon/base/stopwatch.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <studies/compositing/frames/composite_scene.hpp>

namespace osteon::studies {

namespace {

using product_table = std::array<std::array<std::uint8_t, 256>, 256>;  // indices [opacity in front][channel behind]

const product_table& products() {
  static const auto made = [] {
    auto table = std::make_unique<product_table>();
    for (unsigned a = 0; a < 256; ++a)
      for (unsigned c = 0; c < 256; ++c) (*table)[a][c] = static_cast<std::uint8_t>(((255 - a) * c * 2 + 255) / 510);
    return table;
  }();
  return *made;
}

template <class Behind>
void blend_pixels(std::span<std::byte> front, std::span<const std::byte> back, Behind behind) {
  auto* to = reinterpret_cast<std::uint8_t*>(front.data());
  const auto* from = reinterpret_cast<const std::uint8_t*>(back.data());
  for (std::size_t i = 0; i < front.size(); i += 4) {
    const unsigned opacity = to[i + 3];
    for (std::size_t c = 0; c < 4; ++c)
      to[i + c] = static_cast<std::uint8_t>(std::min(255u, to[i + c] + behind(opacity, from[i + c])));
  }
}

using images = std::vector<std::vector<std::byte>>;

images layers_of(int layers, std::int64_t pixels) {
  composite_case scene;
  scene.width = static_cast<int>(pixels);
  scene.height = 1;
  images made(static_cast<std::size_t>(layers));
  for (int l = 0; l < layers; ++l) {
    made[static_cast<std::size_t>(l)].resize(static_cast<std::size_t>(pixels) * 4);
    render(scene, l, made[static_cast<std::size_t>(l)]);
  }
  return made;
}

// Blend in double precision from front to back. The unit is the last place.
std::vector<double> exact_composite(const images& layers) {
  std::vector<double> sum(layers.front().size());
  for (std::size_t i = 0; i < sum.size(); i += 4) {
    double passes = 1;
    for (const auto& layer : layers) {
      for (std::size_t c = 0; c < 4; ++c) sum[i + c] += passes * static_cast<double>(std::to_integer<int>(layer[i + c]));
      passes *= 1 - static_cast<double>(std::to_integer<int>(layer[i + 3])) / 255;
    }
  }
  return sum;
}

template <class Blend>
blend_figures figures_of(std::string name, const std::vector<double>& exact, double seconds, Blend blend) {
  std::vector<std::byte> out(exact.size());
  double best = 1e30;
  for (const double start = cpu_seconds(); best > 1e29 || cpu_seconds() - start < seconds;) {
    const double before = cpu_seconds();
    blend(out);
    best = std::min(best, cpu_seconds() - before);
  }
  blend_figures result{std::move(name), static_cast<double>(exact.size()) / 4 / best, 0, 0};
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = std::abs(static_cast<double>(std::to_integer<int>(out[i])) - exact[i]);
    result.worst = std::max(result.worst, error);
    result.mean += error / static_cast<double>(exact.size());
  }
  return result;
}

}  // namespace

void blend_behind(fast_blend kind, std::span<std::byte> front, std::span<const std::byte> back) {
  if (kind == fast_blend::shift) {
    blend_pixels(front, back, [](unsigned opacity, unsigned c) { return (255 - opacity) * c >> 8; });
  } else {
    const product_table& table = products();
    blend_pixels(front, back, [&table](unsigned opacity, unsigned c) { return unsigned{table[opacity][c]}; });
  }
}

std::vector<blend_figures> compare_blends(int layers, std::int64_t pixels, double seconds) {
  const images all = layers_of(layers, pixels);
  const std::vector<double> exact = exact_composite(all);
  std::vector<kernel::layer> in_one_pass;
  for (const auto& image : all) in_one_pass.push_back({{}, image.data()});
  std::vector<blend_figures> result;
  result.push_back(figures_of("exact", exact, seconds,
                              [&](std::vector<std::byte>& out) { kernel::blend({}, out.data(), in_one_pass, pixels); }));
  for (const auto& [kind, name] : {std::pair{fast_blend::shift, "shift by 8"}, {fast_blend::table, "table"}})
    result.push_back(figures_of(name, exact, seconds, [&, kind = kind](std::vector<std::byte>& out) {
      std::copy(all[0].begin(), all[0].end(), out.begin());
      for (std::size_t l = 1; l < all.size(); ++l) blend_behind(kind, out, all[l]);
    }));
  return result;
}

}  // namespace osteon::studies
