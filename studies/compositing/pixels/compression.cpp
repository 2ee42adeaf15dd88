#include <studies/compositing/pixels/compression.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <studies/compositing/frames/composite_scene.hpp>

namespace osteon::studies {

namespace {

constexpr std::size_t bytes_of_pixel = 4, longest = 255;

// Runs of equal values. Each value has `size` bytes. A run is stored as a number and a value.
std::vector<std::byte> runs_of(std::span<const std::byte> data, std::size_t size) {
  std::vector<std::byte> code;
  for (std::size_t i = 0; i < data.size();) {
    std::size_t count = 1;
    while (count < longest && i + (count + 1) * size <= data.size() &&
           std::memcmp(&data[i], &data[i + count * size], size) == 0)
      ++count;
    code.push_back(static_cast<std::byte>(count));
    code.insert(code.end(), data.begin() + static_cast<std::ptrdiff_t>(i),
                data.begin() + static_cast<std::ptrdiff_t>(i + size));
    i += count * size;
  }
  return code;
}

std::vector<std::byte> from_runs(std::span<const std::byte> code, std::size_t size, std::size_t bytes) {
  std::vector<std::byte> data;
  data.reserve(bytes);
  for (std::size_t i = 0; i < code.size(); i += 1 + size) {
    const auto count = std::to_integer<std::size_t>(code[i]);
    if (i + 1 + size > code.size() || count == 0 || data.size() + count * size > bytes)
      throw data_error("compressed pixels: a run exceeds the end; the message is damaged");
    for (std::size_t n = 0; n < count; ++n)
      data.insert(data.end(), code.begin() + static_cast<std::ptrdiff_t>(i + 1),
                  code.begin() + static_cast<std::ptrdiff_t>(i + 1 + size));
  }
  if (data.size() != bytes) throw data_error("compressed pixels: fewer than expected; the message is damaged");
  return data;
}

// Differences of channels, one channel after another. The differences of one channel are contiguous.
std::vector<std::byte> differences_of(std::span<const std::byte> pixels) {
  std::vector<std::byte> apart(pixels.size());
  const std::size_t count = pixels.size() / bytes_of_pixel;
  for (std::size_t c = 0; c < bytes_of_pixel; ++c) {
    unsigned before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto now = std::to_integer<unsigned>(pixels[i * bytes_of_pixel + c]);
      apart[c * count + i] = static_cast<std::byte>(now - before);
      before = now;
    }
  }
  return apart;
}

std::vector<std::byte> summed(std::span<const std::byte> apart) {
  std::vector<std::byte> pixels(apart.size());
  const std::size_t count = apart.size() / bytes_of_pixel;
  for (std::size_t c = 0; c < bytes_of_pixel; ++c) {
    unsigned now = 0;
    for (std::size_t i = 0; i < count; ++i) {
      now += std::to_integer<unsigned>(apart[c * count + i]);
      pixels[i * bytes_of_pixel + c] = static_cast<std::byte>(now);
    }
  }
  return pixels;
}

using picture = std::vector<std::byte>;

picture noise(int width, int height) {
  composite_case scene;
  scene.width = width;
  scene.height = height;
  picture made(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * bytes_of_pixel);
  render(scene, 0, made);
  return made;
}

// A shaded ball on an empty background. In the middle, the ball is opaque. 28 % of the pixels are not empty.
picture ball(int width, int height) {
  picture made(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * bytes_of_pixel);
  const double radius = 0.3 * std::min(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double dx = (x - 0.5 * width) / radius, dy = (y - 0.5 * height) / radius, inside = 1 - dx * dx - dy * dy;
      if (inside <= 0) continue;
      const double opacity = std::sqrt(inside), light = std::clamp(0.5 - 0.3 * dx - 0.4 * dy, 0.0, 1.0);
      const double channel[4] = {opacity * light, opacity * light * 0.8, opacity * light * 0.5, opacity};
      put_pixel({}, &made[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4],
                channel, 0);
    }
  return made;
}

template <class Work>
double best_cpu_seconds(double seconds, Work work) {
  double best = 1e30;
  for (const double start = cpu_seconds(); best > 1e29 || cpu_seconds() - start < seconds;) {
    const double before = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - before);
  }
  return best;
}

}  // namespace

std::vector<std::byte> compress(value_code kind, std::span<const std::byte> pixels) {
  return kind == value_code::runs ? runs_of(pixels, bytes_of_pixel) : runs_of(differences_of(pixels), 1);
}

std::vector<std::byte> decompress(value_code kind, std::span<const std::byte> code, std::size_t bytes) {
  return kind == value_code::runs ? from_runs(code, bytes_of_pixel, bytes) : summed(from_runs(code, 1, bytes));
}

std::vector<compression_figures> compare_compression(int width, int height, double seconds) {
  const picture flat(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * bytes_of_pixel, std::byte{7});
  std::vector<compression_figures> result;
  for (const auto& [name, pixels] :
       {std::pair{"noise over a gradient", noise(width, height)}, {"ball", ball(width, height)}, {"flat", flat}})
    for (const auto& [kind, label] :
         {std::pair{value_code::runs, "run lengths"}, {value_code::differences, "differences"}}) {
      const std::vector<std::byte> code = compress(kind, pixels);
      if (decompress(kind, code, pixels.size()) != pixels) throw data_error("decompressed pixels differ from the original");
      const auto bytes = static_cast<double>(pixels.size());
      const double forth = best_cpu_seconds(seconds / 2, [&, kind = kind] { compress(kind, pixels); });
      const double back = best_cpu_seconds(seconds / 2, [&, kind = kind] { decompress(kind, code, pixels.size()); });
      const double share = static_cast<double>(code.size()) / bytes;
      // the condition is bytes / rate = forth + back + share bytes / rate
      result.push_back(
          {name, label, share, bytes / forth, bytes / back, share < 1 ? (1 - share) * bytes / (forth + back) : 0});
    }
  return result;
}

}  // namespace osteon::studies
