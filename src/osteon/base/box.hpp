#pragma once
/// @file
/// Boxes, spacings and views of 3-D arrays. All arrays have the axis order (z, y, x) in C order. Values are contiguous along
/// x.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace osteon {

/// A position or an extent (z, y, x) in voxels.
struct index3 {
  std::int64_t z = 0, y = 0, x = 0;
  friend bool operator==(const index3&, const index3&) = default;
  friend index3 operator+(index3 a, index3 b) { return {a.z + b.z, a.y + b.y, a.x + b.x}; }
  friend index3 operator-(index3 a, index3 b) { return {a.z - b.z, a.y - b.y, a.x - b.x}; }
  std::int64_t operator[](int axis) const { return axis == 0 ? z : axis == 1 ? y : x; }
  std::int64_t& operator[](int axis) { return axis == 0 ? z : axis == 1 ? y : x; }
  std::int64_t volume() const { return z * y * x; }
};

/// A half-open box of voxels. The box is [begin, end) on each axis.
struct box3 {
  index3 begin, end;
  friend bool operator==(const box3&, const box3&) = default;
  index3 shape() const { return end - begin; }
  std::int64_t volume() const { return empty() ? 0 : shape().volume(); }
  bool empty() const { return end.z <= begin.z || end.y <= begin.y || end.x <= begin.x; }
  bool contains(index3 p) const {
    return p.z >= begin.z && p.z < end.z && p.y >= begin.y && p.y < end.y && p.x >= begin.x && p.x < end.x;
  }
};

/// A vector (z, y, x) in space, such as the edge lengths of a voxel, an origin or a direction. Lengths are in mm.
struct vector3 {
  double z = 0, y = 0, x = 0;
  friend bool operator==(const vector3&, const vector3&) = default;
  double operator[](int axis) const { return axis == 0 ? z : axis == 1 ? y : x; }
  double& operator[](int axis) { return axis == 0 ? z : axis == 1 ? y : x; }
};

/// A borrowed 3-D array of shape (z, y, x). Values are contiguous along x. The members have the names of std::mdspan. With
/// C++23, std::mdspan can replace this class.
template <class T>
class view3 {
 public:
  view3() = default;
  view3(T* data, index3 shape) : data_(data), shape_(shape) {}
  template <class U>
    requires(std::is_same_v<T, const U>)
  view3(view3<U> other) : data_(other.data_handle()), shape_(other.shape()) {}

  T& operator()(std::int64_t z, std::int64_t y, std::int64_t x) const {
    assert(z >= 0 && z < shape_.z && y >= 0 && y < shape_.y && x >= 0 && x < shape_.x);
    return data_[(z * shape_.y + y) * shape_.x + x];
  }
  T* data_handle() const { return data_; }
  index3 shape() const { return shape_; }
  std::int64_t extent(int axis) const { return shape_[axis]; }
  std::int64_t size() const { return shape_.volume(); }

 private:
  T* data_ = nullptr;
  index3 shape_;
};

/// An axis of an array. The values are indices into (z, y, x).
enum class axis : int { z = 0, y = 1, x = 2 };

}  // namespace osteon
