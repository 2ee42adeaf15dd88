#pragma once
/// @file
/// NumPy's .npy files: 3-D, C order, little-endian numbers; how images come from Python.
#include <cstddef>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace osteon::io {

enum class npy_type { u1, i1, u2, i2, u4, i4, f4, f8 };

/// Bytes of one value.
std::size_t size_of(npy_type type);

/// A 3-D array as its file holds it.
struct npy_array {
  index3 shape;
  npy_type dtype = npy_type::u1;
  std::vector<std::byte> bytes;  ///< C order, little-endian, shape.volume() * size_of(dtype)

  /// The values as T. @throws usage_error if T is not the array's type
  template <class T>
  view3<const T> view() const {
    require(type_of<T>());
    return {reinterpret_cast<const T*>(bytes.data()), shape};
  }

 private:
  void require(npy_type type) const;
  template <class T>
  static constexpr npy_type type_of() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return npy_type::u1;
    else if constexpr (std::is_same_v<T, std::int8_t>) return npy_type::i1;
    else if constexpr (std::is_same_v<T, std::uint16_t>) return npy_type::u2;
    else if constexpr (std::is_same_v<T, std::int16_t>) return npy_type::i2;
    else if constexpr (std::is_same_v<T, std::uint32_t>) return npy_type::u4;
    else if constexpr (std::is_same_v<T, std::int32_t>) return npy_type::i4;
    else if constexpr (std::is_same_v<T, float>) return npy_type::f4;
    else {
      static_assert(std::is_same_v<T, double>);
      return npy_type::f8;
    }
  }
};

/// Read versions 1.0 to 3.0 of the format.
/// @throws data_error if the file is unreadable, damaged, not 3-D, in Fortran order, or of another type
npy_array read_npy(const std::string& path);

/// Write version 1.0 under a temporary name and rename it when it is complete.
/// @throws machine_error if the file cannot be written; usage_error if bytes and shape do not fit
void write_npy(const std::string& path, const npy_array& array);

}  // namespace osteon::io
