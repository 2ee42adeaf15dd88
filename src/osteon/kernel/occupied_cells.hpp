#pragma once
/// @file
/// Rays through a block of which only some macro cells matter.
#include <cstdint>
#include <osteon/kernel/empty_space.hpp>
#include <osteon/kernel/ray_segments.hpp>
#include <vector>

namespace osteon::kernel {

class occupied_cells {
 public:
  occupied_cells() = default;
  /// @param first voxel where the first macro cell begins
  /// @param occupied not 0 for cells that matter
  occupied_cells(index3 first, index3 cells, const std::vector<std::uint8_t>& occupied)
      : first_(first), cells_(cells), distance_(distance_to_occupied(cells, occupied)) {
    for (int axis = 0; axis < 3; ++axis) {
      first_voxel_[axis] = static_cast<std::int32_t>(first[axis]);
      last_cell_[axis] = static_cast<std::int32_t>(cells[axis] - 1);
    }
  }

  /// The next segment that matters, from `segment` on.
  /// @param first its beginning() @param cell the macro cell that it lies in @return false if there is none
  [[gnu::always_inline]] inline bool find(const ray_segments& segments, const ray_segments::part& along,
                                          std::int64_t& segment, double4& first, std::size_t& cell) const {
    static_assert(value_bounds::edge == 4);
    while (segment < along.last) {
      first = segments.beginning(along, segment);
      integer4 at = (__builtin_convertvector(segments.half_way(along, first), integer4) - first_voxel_) >> 2;
      at = at < 0 ? integer4{} : at;  // what lies outside of the domain belongs to its first or last plane
      at = at > last_cell_ ? last_cell_ : at;
      cell = static_cast<std::size_t>((at[0] * cells_.y + at[1]) * cells_.x + at[2]);
      const int distance = distance_[cell];
      if (distance == 0) return true;
      double low[3], high[3];
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = static_cast<double>(first_[axis] + (at[axis] - distance + 1) * value_bounds::edge);
        high[axis] = static_cast<double>(first_[axis] + (at[axis] + distance) * value_bounds::edge);
      }
      segment = segments.after_box(along, segment, low, high);
    }
    return false;
  }

  /// The same of four rays. @param cell those that the segments lie in @return the rays that have one
  [[gnu::always_inline]] inline lanes4 find(const ray_segments& segments, four_rays& rays, integer4& cell) const {
    for (;;) {
      double4 middle[3];
      segments.locate(rays, middle);
      integer4 at[3];
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (__builtin_convertvector(middle[axis], integer4) - first_voxel_[axis]) >> 2;
        at[axis] = at[axis] < 0 ? integer4{} : at[axis];
        at[axis] = at[axis] > last_cell_[axis] ? integer4{} + last_cell_[axis] : at[axis];
      }
      cell = (at[0] * (last_cell_[1] + 1) + at[1]) * (last_cell_[2] + 1) + at[2];
      const lanes4 under_way = rays.begin < rays.end;
      const auto of = [&](int lane) { return std::int32_t{distance_[static_cast<std::size_t>(cell[lane])]}; };
      const integer4 distance = integer4{of(0), of(1), of(2), of(3)} & __builtin_convertvector(under_way, integer4);
      if (!any(distance)) return under_way;
      skip(segments, rays, at, distance);
    }
  }

 private:
  // Go on where macro cells are that far from those that matter.
  [[gnu::noinline]] void skip(const ray_segments& segments, four_rays& rays, const integer4 (&at)[3],
                              const integer4& distance) const {
    double4 low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = __builtin_convertvector(first_voxel_[axis] + (at[axis] - distance + 1) * value_bounds::edge, double4);
      high[axis] = __builtin_convertvector(first_voxel_[axis] + (at[axis] + distance) * value_bounds::edge, double4);
    }
    segments.leave_box(rays, low, high, __builtin_convertvector(distance > 0, lanes4));
  }

  index3 first_, cells_;
  integer4 first_voxel_{}, last_cell_{};  // the same, z, y, x, 0
  std::vector<std::uint8_t> distance_;    // of a macro cell from those that matter
};

}  // namespace osteon::kernel
