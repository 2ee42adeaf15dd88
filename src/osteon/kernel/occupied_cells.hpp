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

 private:
  index3 first_, cells_;
  integer4 first_voxel_{}, last_cell_{};  // the same, z, y, x, 0
  std::vector<std::uint8_t> distance_;    // of a macro cell from those that matter
};

}  // namespace osteon::kernel
