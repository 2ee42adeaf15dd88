#pragma once
/// @file
/// A view of a 3-D block with one surrounding layer of values of neighbours. This header also declares the partition of the
/// planes of the block over threads.
#include <cassert>
#include <osteon/base/box.hpp>

namespace osteon::studies {

/// A block of shape (z, y, x) in memory of the caller. Valid indices are from -1 to the shape (inclusive) on each axis. Rows
/// are contiguous. There may be gaps between rows and between planes.
template <class T>
class ghosted_view {
 public:
  ghosted_view() = default;
  /// @param first element (0, 0, 0) @param row distance between consecutive rows, in elements @param plane distance between
  /// consecutive planes, in elements
  ghosted_view(T* first, index3 shape, std::int64_t row, std::int64_t plane)
      : first_(first), shape_(shape), row_(row), plane_(plane) {}
  template <class U>
    requires(std::is_same_v<T, const U>)
  ghosted_view(ghosted_view<U> other) : ghosted_view(other.at({}), other.shape(), other.row(), other.plane()) {}

  T& operator()(std::int64_t z, std::int64_t y, std::int64_t x) const { return *at({z, y, x}); }
  T* at(index3 i) const {
    for (int a = 0; a < 3; ++a) assert(i[a] >= -1 && i[a] <= shape_[a]);
    return first_ + i.z * plane_ + i.y * row_ + i.x;
  }
  index3 shape() const { return shape_; }
  std::int64_t row() const { return row_; }
  std::int64_t plane() const { return plane_; }

 private:
  T* first_ = nullptr;
  index3 shape_;
  std::int64_t row_ = 0, plane_ = 0;
};

/// The planes [begin, end) of one thread of a team. Memory is placed near the thread that touches the memory first (NUMA).
/// Every loop over a block must therefore use this partition.
struct z_slab {
  std::int64_t begin, end;
};
inline z_slab slab_of(int thread, int threads, std::int64_t planes) {
  return {planes * thread / threads, planes * (thread + 1) / threads};
}

}  // namespace osteon::studies
