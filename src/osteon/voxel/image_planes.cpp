#include <osteon/voxel/image_planes.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/base/for_each.hpp>
#include <type_traits>

namespace osteon::voxel {

namespace {

std::size_t bytes_of(index3 shape, scalar type) { return static_cast<std::size_t>(shape.volume()) * size_of(type); }

}  // namespace

image_planes::image_planes(image whole) : shape(whole.shape), type(whole.type) {
  const std::size_t plane = bytes_of({1, shape.y, shape.x}, type);
  read = [plane, kept = std::make_shared<const image>(std::move(whole))](std::int64_t first, std::int64_t planes,
                                                                         std::span<std::byte> values) {
    std::memcpy(values.data(), kept->bytes.data() + static_cast<std::size_t>(first) * plane,
                static_cast<std::size_t>(planes) * plane);
  };
}

void image_planes::read_into(image& block, std::int64_t first, std::int64_t planes) const {
  block.shape = {planes, shape.y, shape.x};
  block.type = type;
  block.bytes.resize(bytes_of(block.shape, type));
  read(first, planes, block.bytes);
}

std::int64_t image_planes::at_a_time(std::size_t bytes_per_voxel) const {
  constexpr std::int64_t block_bytes = 4 << 20;
  const std::int64_t plane = shape.y * shape.x * static_cast<std::int64_t>(bytes_per_voxel);
  return std::clamp<std::int64_t>(block_bytes / std::max<std::int64_t>(plane, 1), 1, std::max<std::int64_t>(shape.z, 1));
}

namespace {

// Parts of a block, which the threads process. The number is independent of the number of threads.
constexpr std::int64_t parts_of_block = 8;

// Values of one part of all blocks.
struct value_summary {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  std::int64_t bad = 0, first_bad = -1;
  std::vector<std::int64_t> table;  // counts of grey values
};

// Count the values of a type of at most 16 bits. Several tables are filled in turn, because successive equal values would
// otherwise wait for each other.
template <class T>
class grey_counter {
 public:
  static constexpr std::size_t places = std::size_t{1} << (8 * sizeof(T)), tables = sizeof(T) == 1 ? 4 : 1;

  static void add(const T* data, std::int64_t size, std::vector<std::int64_t>& table) {
    table.resize(places * tables);
    std::int64_t i = 0;
    if constexpr (tables > 1)
      for (; i + 4 <= size; i += 4)
        for (std::size_t t = 0; t < tables; ++t) ++table[t * places + place_of(data[i + static_cast<std::int64_t>(t)])];
    for (; i < size; ++i) ++table[place_of(data[i])];
  }

 private:
  static std::size_t place_of(T value) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(value) - std::numeric_limits<T>::min());
  }
};

template <class T>
void summarise(const T* data, std::int64_t first, std::int64_t size, bool counts, value_summary& all) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::int64_t i = 0; i < size; ++i)
      if (!std::isfinite(data[i])) {
        if (all.bad++ == 0) all.first_bad = first + i;
      }
  } else if constexpr (sizeof(T) <= 2) {
    if (counts) grey_counter<T>::add(data, size, all.table);
  }
  T low = data[0], high = data[0];
  for (std::int64_t i = 0; i < size; ++i) {
    low = data[i] < low ? data[i] : low;
    high = data[i] < high ? high : data[i];
  }
  all.low = std::min(all.low, static_cast<double>(low));
  all.high = std::max(all.high, static_cast<double>(high));
}

}  // namespace

grey_range check_values(const image_planes& scan, grey_counts* counts) {
  if (scan.shape.volume() <= 0)
    throw data_error(
        fmt::format("the image has no voxels: its shape is {} x {} x {}", scan.shape.z, scan.shape.y, scan.shape.x));
  std::vector<value_summary> parts(static_cast<std::size_t>(parts_of_block));
  for_each_block(scan, [&](std::int64_t z, auto values) {
    const auto* data = values.data_handle();
    const std::int64_t before = z * scan.shape.y * scan.shape.x, length = (values.size() - 1) / parts_of_block + 1;
    osteon::for_each_block(values.size(), length, [&](std::int64_t begin, std::int64_t end) {
      summarise(data + begin, before + begin, end - begin, counts != nullptr,
                parts[static_cast<std::size_t>(begin / length)]);
    });
  });
  value_summary all;
  for (const value_summary& part : parts) {
    all.low = std::min(all.low, part.low);
    all.high = std::max(all.high, part.high);
    all.bad += part.bad;
    if (part.first_bad >= 0 && (all.first_bad < 0 || part.first_bad < all.first_bad)) all.first_bad = part.first_bad;
  }
  if (all.bad > 0)
    throw data_error(fmt::format(
        "the image contains {} values that are NaN or infinite, the first at voxel (z, y, x) = ({}, {}, {}); replace them "
        "by a grey value, for example that of the background",
        all.bad, all.first_bad / (scan.shape.y * scan.shape.x), all.first_bad / scan.shape.x % scan.shape.y,
        all.first_bad % scan.shape.x));
  if (counts != nullptr) {
    counts->assign(size_of(scan.type) <= 2 ? std::size_t{1} << (8 * size_of(scan.type)) : 0, 0);
    for (const value_summary& part : parts)
      for (std::size_t i = 0; i < part.table.size() && !counts->empty(); ++i) (*counts)[i % counts->size()] += part.table[i];
  }
  return {all.low, all.high};
}

void require_labels(const image_planes& labels, const std::string& name) {
  if (labels.type != scalar::f4 && labels.type != scalar::f8) return;
  for_each_block(labels, [&](std::int64_t z, auto values) {
    const auto* data = values.data_handle();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<double>(data[i]);
      if (value == std::trunc(value) && std::abs(value) <= std::numeric_limits<std::int32_t>::max()) continue;
      const std::int64_t at = z * labels.shape.y * labels.shape.x + i;
      throw data_error(fmt::format(
          "{} has the value {:.9g} at voxel (z, y, x) = ({}, {}, {}), but labels must be 32-bit integers; use a threshold, "
          "or save the labels as integers",
          name, value, at / (labels.shape.y * labels.shape.x), at / labels.shape.x % labels.shape.y, at % labels.shape.x));
    }
  });
}

image_planes crop(const image_planes& scan, const box3& part) {
  if (part.empty() || part.begin.z < 0 || part.begin.y < 0 || part.begin.x < 0 || part.end.z > scan.shape.z ||
      part.end.y > scan.shape.y || part.end.x > scan.shape.x)
    throw data_error(fmt::format(
        "the crop [[{}, {}], [{}, {}], [{}, {}]] is not inside the image of {} x {} x {} voxels (z, y, x)", part.begin.z,
        part.end.z, part.begin.y, part.end.y, part.begin.x, part.end.x, scan.shape.z, scan.shape.y, scan.shape.x));
  const index3 shape = part.shape();
  const auto read = [scan, part, shape, whole = std::make_shared<image>()](std::int64_t first, std::int64_t planes,
                                                                           std::span<std::byte> values) {
    const std::size_t width = size_of(scan.type), row = static_cast<std::size_t>(shape.x) * width;
    for (std::int64_t z = 0; z < planes; ++z) {
      scan.read_into(*whole, part.begin.z + first + z, 1);
      for (std::int64_t y = 0; y < shape.y; ++y)
        std::memcpy(values.data() + static_cast<std::size_t>(z * shape.y + y) * row,
                    whole->bytes.data() + static_cast<std::size_t>((part.begin.y + y) * scan.shape.x + part.begin.x) * width,
                    row);
    }
  };
  return {shape, scan.type, read};
}

}  // namespace osteon::voxel
