#include <studies/compositing/fragments/fragments.hpp>

#include <algorithm>
#include <tuple>

namespace osteon::studies {

std::int64_t blend_fragments(std::span<fragment> fragments, std::int64_t first, std::span<float> rgba) {
  const auto key = [](const fragment& f) {
    return std::tuple(f.pixel, f.z_front, f.z_back, f.rgba[3], f.rgba[0], f.rgba[1], f.rgba[2]);
  };
  std::sort(fragments.begin(), fragments.end(), [&](const fragment& a, const fragment& b) { return key(a) < key(b); });
  std::fill(rgba.begin(), rgba.end(), 0.0f);
  std::int64_t overlaps = 0;
  for (std::size_t begin = 0; begin < fragments.size();) {
    const std::int64_t pixel = fragments[begin].pixel;
    float sum[4] = {0, 0, 0, 0}, reach = fragments[begin].z_front;
    std::size_t end = begin;
    for (; end < fragments.size() && fragments[end].pixel == pixel; ++end) {
      const fragment& f = fragments[end];
      const float through = 1 - sum[3];
      for (int c = 0; c < 4; ++c) sum[c] += through * f.rgba[c];
      overlaps += f.z_front < reach;
      reach = std::max(reach, f.z_back);
    }
    std::copy_n(sum, 4, rgba.begin() + 4 * (pixel - first));
    begin = end;
  }
  return overlaps;
}

}  // namespace osteon::studies
