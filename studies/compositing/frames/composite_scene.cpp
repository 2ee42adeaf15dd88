#include <studies/compositing/frames/composite_scene.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <osteon/kernel/blend/blend.hpp>
#include <osteon/kernel/blend/half.hpp>
#include <random>

namespace osteon::studies {

namespace {

typedef float float1 __attribute__((vector_size(4)));
typedef std::uint32_t word1 __attribute__((vector_size(4)));

}  // namespace

double full_channel(kernel::colour_format c) {
  return c == kernel::colour_format::rgba8 ? 255 : c == kernel::colour_format::rgba16 ? 65535 : 1;
}

void put_pixel(kernel::pixel_format format, std::byte* to, const double (&channel)[4], float depth) {
  for (std::size_t c = 0; c < 4; ++c) {
    std::byte* const at = to + c * kernel::bytes_of(format.colour) / 4;
    const double scaled = std::floor(channel[c] * full_channel(format.colour) + 0.5);
    if (format.colour == kernel::colour_format::rgba8) {
      *at = static_cast<std::byte>(scaled);
    } else if (format.colour == kernel::colour_format::rgba32f) {
      const auto v = static_cast<float>(channel[c]);
      std::memcpy(at, &v, sizeof v);
    } else {
      const auto v =
          format.colour == kernel::colour_format::rgba16
              ? static_cast<std::uint16_t>(scaled)
              : static_cast<std::uint16_t>(kernel::to_half<float1, word1>(float1{static_cast<float>(channel[c])})[0]);
      std::memcpy(at, &v, sizeof v);
    }
  }
  if (format.depth) std::memcpy(to + kernel::bytes_of(format.colour), &depth, sizeof depth);
}

std::vector<int> visibility_order(const composite_case& scene, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(scene.seed));
  return order;
}

compositing::pixel_rectangle rectangle_of(const composite_case& scene, int rank) {
  if (scene.active >= 1) return {0, 0, scene.width, scene.height};
  const double edge = std::sqrt(std::max(0.0, scene.active));
  const int width = static_cast<int>(edge * scene.width), height = static_cast<int>(edge * scene.height);
  std::mt19937 random(scene.seed * 1000 + static_cast<unsigned>(rank));
  const int left = static_cast<int>(random() % static_cast<unsigned>(scene.width - width + 1));
  const int top = static_cast<int>(random() % static_cast<unsigned>(scene.height - height + 1));
  return {left, top, left + width, top + height};
}

void render(const composite_case& scene, int rank, std::span<std::byte> image) {
  std::fill(image.begin(), image.end(), std::byte{0});
  // Empty pixels are behind all other pixels.
  const std::size_t bytes = scene.format.bytes();
  for (std::size_t i = 0; scene.format.depth && i < image.size() / bytes; ++i)
    put_pixel(scene.format, &image[i * bytes], {0, 0, 0, 0}, std::numeric_limits<float>::infinity());
  const auto box = rectangle_of(scene, rank);
  std::minstd_rand random(scene.seed * 100 + static_cast<unsigned>(rank) + 1);
  const auto next = [&] { return static_cast<double>(random()) / 2147483648.0; };
  for (int row = box.top; row < box.bottom; ++row)
    for (int column = box.left; column < box.right; ++column) {
      const double opacity = 0.1 + 0.5 * static_cast<double>(column) / scene.width * next();
      const double channel[4] = {opacity * next(), opacity * static_cast<double>(row) / scene.height, opacity * 0.5,
                                 opacity};
      put_pixel(scene.format,
                image.data() + (static_cast<std::size_t>(row) * static_cast<std::size_t>(scene.width) +
                                static_cast<std::size_t>(column)) *
                                   scene.format.bytes(),
                channel, static_cast<float>(next()));
    }
}

double worst_error(const composite_case& scene, int ranks, std::span<const std::byte> picture) {
  const auto order = visibility_order(scene, ranks);
  const std::size_t bytes = scene.format.bytes(), pixels = picture.size() / bytes;
  const double scale = full_channel(scene.format.colour);
  const bool floating = scale == 1;
  std::vector<double> sum(4 * pixels), depth(pixels, std::numeric_limits<double>::infinity());
  std::vector<std::byte> image(picture.size());
  for (std::size_t l = order.size(); l-- > 0;) {
    render(scene, order[l], image);
    const auto box = rectangle_of(scene, order[l]);
    for (int row = box.top; row < box.bottom; ++row)
      for (int column = box.left; column < box.right; ++column) {
        const auto i =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(scene.width) + static_cast<std::size_t>(column);
        const auto v = kernel::value_of(scene.format, image.data() + i * bytes);
        if (scene.format.depth && v.depth > depth[i]) continue;
        depth[i] = v.depth;
        const double through = scene.format.depth ? 0 : 1 - v.channel[3] / scale;
        for (std::size_t c = 0; c < 4; ++c) sum[4 * i + c] = v.channel[c] + through * sum[4 * i + c];
      }
  }
  double worst = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto v = kernel::value_of(scene.format, picture.data() + i * bytes);
    for (std::size_t c = 0; c < 4; ++c) worst = std::max(worst, std::abs(v.channel[c] - sum[4 * i + c]));
  }
  return floating ? 1e6 * worst : worst;
}

double allowed_error(const composite_case& scene, int ranks, double bound) {
  // In single precision, the error is small compared with half of a unit of 8 bits. In half precision, the error is 2^-12
  // for values below 1.
  if (scene.format.depth) return 0;
  switch (scene.format.colour) {
    case kernel::colour_format::rgba8:
      return std::max(0.5, bound) + 0.001;
    case kernel::colour_format::rgba16:
      return std::max(0.5, bound) + 0.01 * ranks;
    case kernel::colour_format::rgba16f:
      return 1e6 * 0x1p-12 + ranks;
    default:
      return ranks;
  }
}

}  // namespace osteon::studies
