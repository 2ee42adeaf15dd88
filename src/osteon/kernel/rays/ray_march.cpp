#include <osteon/kernel/rays/ray_march.hpp>

#include <cstring>
#include <limits>

namespace osteon::kernel {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

// Range of values with opacity. Outside of this range, the opacity of the table is zero.
std::array<float, 2> visible_range(const transfer_table& table) {
  const auto visible = [](const std::array<float, 4>& e) { return e[3] > 0; };
  const auto& e = table.entries;
  const auto first = std::find_if(e.begin(), e.end(), visible) - e.begin();
  const auto last = std::find_if(e.rbegin(), e.rend(), visible).base() - e.begin() - 1;  // -1: none
  if (last < 0) return {infinite, infinite};
  const float entry = (table.high - table.low) / static_cast<float>(e.size() - 1);
  // Values become visible between the first visible entry and the adjacent entry; a fraction of an entry is added for
  // rounding.
  const auto bound = [&](std::ptrdiff_t i) { return table.low + static_cast<float>(i) * entry; };
  return {first == 0 ? -infinite : bound(first - 1) - 0.01f * entry,
          last == static_cast<std::ptrdiff_t>(e.size()) - 1 ? infinite : bound(last + 1) + 0.01f * entry};
}

}  // namespace

march_volume::march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels,
                           lighting light, std::vector<march_layer> layers)
    : segments_(domain, owned, thickened(domain, present),
                step_voxels * std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x}), samples_in_segment(step_voxels),
                std::any_of(layers.begin(), layers.end(), [](const march_layer& l) { return l.shaded; })) {
  light_by(light);
  const double finest = std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x});
  for (int axis = 0; axis < 3; ++axis) inverse_spacing_[axis] = static_cast<float>(finest / spacing_mm[axis]);
  const box3 thick = thickened(domain, present);
  for (march_layer& l : layers) {
    if (thick != present) {
      repeated_.push_back(repeat_ends(l.values, present, thick));
      l.values = repeated_.back().data();
    }
    shaded_ = shaded_ || l.shaded;
    const auto [low, high] = visible_range(l.transfer);
    const float width = l.transfer.high - l.transfer.low;
    const float scale = width > 0 ? static_cast<float>(l.transfer.entries.size() - 1) / width : infinite;
    layers_.push_back({std::move(l), scale, low, high, {}, 0});
    layer& made = layers_.back();
    const auto& entries = made.settings.transfer.entries;
    const float emission = made.settings.emission;
    for (std::size_t i = 0; i <= entries.size(); ++i) {
      const auto& e = entries[std::min(i, entries.size() - 1)];
      made.table.push_back({emission * e[0], emission * e[1], emission * e[2], e[3]});
    }
    made.last = static_cast<float>(entries.size() - 1);
  }
  find_empty_space(owned, thick, ghosts_needed(step_voxels));
}

void march_volume::light_by(const lighting& light) {
  const vector3 toward = unit(light.toward_light), middle = half_way(light);
  for (int axis = 0; axis < 3; ++axis) {
    light_[axis] = static_cast<float>(toward[axis]);
    half_way_[axis] = static_cast<float>(middle[axis]);
  }
}

void march_volume::find_empty_space(const box3& owned, const box3& present, int margin) {
  index3 first, cells;
  for (std::size_t number = 0; number < layers_.size(); ++number) {
    const layer& l = layers_[number];
    const auto bounds = value_bounds::of(l.settings.values, owned, present, margin);
    first = bounds.first;
    cells = bounds.cells;
    to_do_.resize(bounds.range.size());
    // visible[i]: number of entries before i with non-zero opacity
    const auto& entries = l.settings.transfer.entries;
    std::vector<std::int32_t> visible(entries.size() + 1, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) visible[i + 1] = visible[i] + (entries[i][3] > 0 ? 1 : 0);
    const float last = static_cast<float>(entries.size() - 1);
    const auto entry = [&](float value) {
      const float at = (value - l.settings.transfer.low) * l.scale;
      return at > 0 ? std::min(at, last) : 0;
    };
    for (std::size_t i = 0; i < to_do_.size(); ++i) {
      const auto [least, most] = bounds.range[i];
      if (least > most) continue;
      // Use a margin of one entry, because interpolated values may exceed the range by rounding.
      const auto from = static_cast<std::size_t>(std::max(0.0f, std::floor(entry(least)) - 1));
      const auto to = static_cast<std::size_t>(std::min(last, std::ceil(entry(most)) + 1));
      if (visible[to + 1] > visible[from])
        to_do_[i] = static_cast<std::uint8_t>(to_do_[i] | (least < most ? 3U : 1U) << 2 * number);
    }
  }
  visible_ = occupied_cells(first, cells, to_do_);
}

void march_volume::project(const ray& along, projection& result, std::int64_t& samples) const {
  const auto part = segments_.of(along);
  const march_layer& source = layers_.front().settings;
  const double scale =
      source.transfer.high > source.transfer.low ? 0x1p24 / (source.transfer.high - source.transfer.low) : 0;
  for (std::int64_t j = part.first; j < part.last; ++j) {
    eight_places around;
    std::int64_t shared;
    const int count = segments_.place(part, j, segments_.beginning(part, j), around, shared);
    samples += count;
    float8 share;
    const float8 value = around.value_of_present(source.values + shared, segments_.across(), share);
    for (int i = 0; i < count; ++i) {
      if (!(share[i] > 0.5f)) continue;
      result.greatest = std::max(result.greatest, value[i]);
      // Clip values far outside of the range to 128 times the range, because sums would overflow otherwise.
      result.sum += std::llround(std::clamp(scale * (value[i] - source.transfer.low), -0x1p31, 0x1p31));
      ++result.count;
    }
  }
}

}  // namespace osteon::kernel
