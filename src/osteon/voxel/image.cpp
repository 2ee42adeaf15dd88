#include <osteon/voxel/image.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <osteon/base/error.hpp>
#include <type_traits>

namespace osteon::voxel {

std::size_t size_of(scalar type) {
  switch (type) {
    case scalar::u1:
    case scalar::i1:
      return 1;
    case scalar::u2:
    case scalar::i2:
      return 2;
    case scalar::u4:
    case scalar::i4:
    case scalar::f4:
      return 4;
    case scalar::f8:
      return 8;
  }
  return 1;
}

std::string name_of(scalar type) {
  constexpr const char* names[] = {"u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"};
  return names[static_cast<int>(type)];
}

grey_range check_values(const image& scan) {
  if (scan.shape.volume() <= 0)
    throw data_error(
        fmt::format("the image has no voxels: its shape is {} x {} x {}", scan.shape.z, scan.shape.y, scan.shape.x));
  return scan.visit([&](auto values) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(values(0, 0, 0))>>;
    const T* data = values.data_handle();
    const std::int64_t count = values.size();
    if constexpr (std::is_floating_point_v<T>) {
      std::int64_t bad = 0, first = -1;
      for (std::int64_t i = 0; i < count; ++i)
        if (!std::isfinite(data[i])) {
          if (bad++ == 0) first = i;
        }
      if (bad > 0)
        throw data_error(fmt::format(
            "the image holds {} values that are NaN or infinite, the first at voxel (z, y, x) = ({}, {}, {}); "
            "replace them by a grey value, for example that of the background",
            bad, first / (scan.shape.y * scan.shape.x), first / scan.shape.x % scan.shape.y, first % scan.shape.x));
    }
    const auto [low, high] = std::minmax_element(data, data + count);
    return grey_range{static_cast<double>(*low), static_cast<double>(*high)};
  });
}

image crop(const image& scan, const box3& part) {
  if (part.empty() || part.begin.z < 0 || part.begin.y < 0 || part.begin.x < 0 || part.end.z > scan.shape.z ||
      part.end.y > scan.shape.y || part.end.x > scan.shape.x)
    throw data_error(fmt::format(
        "the crop [[{}, {}], [{}, {}], [{}, {}]] is not inside the image of {} x {} x {} voxels (z, y, x)", part.begin.z,
        part.end.z, part.begin.y, part.end.y, part.begin.x, part.end.x, scan.shape.z, scan.shape.y, scan.shape.x));
  image result{part.shape(), scan.type, {}};
  const std::size_t width = size_of(scan.type), row = static_cast<std::size_t>(result.shape.x) * width;
  result.bytes.resize(static_cast<std::size_t>(result.shape.z * result.shape.y) * row);
  for (std::int64_t z = 0; z < result.shape.z; ++z)
    for (std::int64_t y = 0; y < result.shape.y; ++y) {
      const std::int64_t from = ((z + part.begin.z) * scan.shape.y + y + part.begin.y) * scan.shape.x + part.begin.x;
      std::memcpy(result.bytes.data() + static_cast<std::size_t>(z * result.shape.y + y) * row,
                  scan.bytes.data() + static_cast<std::size_t>(from) * width, row);
    }
  return result;
}

}  // namespace osteon::voxel
