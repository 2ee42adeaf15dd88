#pragma once
/// @file
/// The solid as a list of runs. A run is a sequence of contiguous active voxels along x. Only active cells and nodes are
/// numbered, in z, y, x order. Memory is therefore proportional to the number of active voxels, and kernels access memory
/// with unit stride.
#include <cstdint>
#include <memory>
#include <osteon/base/box.hpp>
#include <osteon/base/material_number.hpp>
#include <span>
#include <vector>

namespace osteon::voxel {

/// A run: the active points (z, y, x .. x + length - 1), numbered first .. first + length - 1.
struct run {
  std::int32_t z = 0, y = 0, x = 0;
  std::int32_t length = 0;
  std::int32_t first = 0;
};

/// Numbering of points. Computations require numbers. Numbers limit a rank to 2^31 - 1 points.
enum class numbering { points, none };

/// Active points of a box (cells or nodes) as runs in z, y, x order. Coordinates are local to the box. Copies share the
/// immutable runs and cost no memory.
class run_set {
 public:
  run_set() = default;
  /// @param runs ordered by z, y, x; runs of one row must not overlap or touch; the constructor sets `first`
  /// @throws data_error if the set has more than 2^31 - 1 numbered points or runs (use more ranks)
  run_set(index3 shape, std::vector<run> runs, numbering numbers = numbering::points);

  index3 shape() const { return shape_; }
  /// Number of active points; 0 if they have no numbers.
  std::int32_t size() const { return size_; }
  std::span<const run> runs() const { return lists_->runs; }
  /// The runs of row (z, y).
  std::span<const run> row(std::int64_t z, std::int64_t y) const {
    const auto r = static_cast<std::size_t>(z * shape_.y + y);
    const auto& begin = lists_->row_begin;
    return runs().subspan(static_cast<std::size_t>(begin[r]), static_cast<std::size_t>(begin[r + 1] - begin[r]));
  }
  /// The runs of plane z.
  std::span<const run> plane(std::int64_t z) const {
    const auto first = lists_->row_begin[static_cast<std::size_t>(z * shape_.y)];
    const auto last = lists_->row_begin[static_cast<std::size_t>((z + 1) * shape_.y)];
    return runs().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  }
  /// Number of the point (z, y, x), or -1 if the point is inactive or outside the box.
  std::int32_t find(std::int64_t z, std::int64_t y, std::int64_t x) const;
  /// Number of the first point of plane z; the number of points if z = extent(0).
  std::int32_t plane_begin(std::int64_t z) const;

 private:
  struct lists {
    std::vector<run> runs;
    std::vector<std::int32_t> row_begin{0};  // per row (z, y): index of its first run; then the number of runs
  };
  index3 shape_;
  std::shared_ptr<const lists> lists_ = std::make_shared<const lists>();
  std::int32_t size_ = 0;
};

/// Append the runs of the non-zero points of planes from plane `z` on.
void append_runs(std::vector<run>& runs, view3<const material_number> planes, std::int64_t z);

/// The non-zero points of `image`, shape (z, y, x).
run_set active_cells(view3<const material_number> image, numbering numbers = numbering::points);

/// The corners of the active cells, as points of shape (z + 1, y + 1, x + 1).
run_set corner_nodes(const run_set& cells);

/// Values of `image` at the active cells, in cell order. @param image shape of `cells`
std::vector<material_number> gather(const run_set& cells, view3<const material_number> image);

}  // namespace osteon::voxel
