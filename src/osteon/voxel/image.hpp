#pragma once
/// @file
/// An image in memory: grey values or labels of any common type.
#include <cstddef>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <string>
#include <vector>

namespace osteon::voxel {

enum class scalar { u1, i1, u2, i2, u4, i4, f4, f8 };

/// Bytes of one value.
std::size_t size_of(scalar type);
/// NumPy type names "u1", "i2", "f4" ...
std::string name_of(scalar type);

/// An owned image of shape (z, y, x) with values in native byte order.
struct image {
  index3 shape;
  scalar type = scalar::u1;
  std::vector<std::byte> bytes;

  /// Call `f` with a typed view of the values.
  template <class F>
  decltype(auto) visit(F&& f) const {
    switch (type) {
      case scalar::i1:
        return f(as<std::int8_t>());
      case scalar::u2:
        return f(as<std::uint16_t>());
      case scalar::i2:
        return f(as<std::int16_t>());
      case scalar::u4:
        return f(as<std::uint32_t>());
      case scalar::i4:
        return f(as<std::int32_t>());
      case scalar::f4:
        return f(as<float>());
      case scalar::f8:
        return f(as<double>());
      case scalar::u1:
        break;
    }
    return f(as<std::uint8_t>());
  }

 private:
  template <class T>
  view3<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), shape};
  }
};

/// Range of the values of an image.
struct grey_range {
  double low = 0, high = 0;
};

}  // namespace osteon::voxel
