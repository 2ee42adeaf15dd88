#pragma once
/// @file
/// Empty-space skipping: macro cells with visible content, and safe step lengths of rays.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/kernel/rays/ray_segments.hpp>
#include <vector>

namespace osteon::kernel {

/// Minimum and maximum around each macro cell of a block, over the present voxels of the cell and `margin` voxels on each
/// side. NaN is ignored; a cell with only NaN has minimum > maximum.
struct value_bounds {
  static constexpr int edge = 4;  ///< voxels along a macro cell

  index3 first;  ///< first voxel of the first macro cell, equal to the first voxel of the block
  index3 cells;  ///< number of macro cells
  std::vector<std::array<float, 2>> range;

  /// @param values shape of `present` @cost one pass over the values
  static value_bounds of(const float* values, const box3& owned, const box3& present, int margin);
};

/// Distance of each macro cell to the nearest cell in `occupied`, in steps to any of the 26 neighbours. The distance is 0
/// for occupied cells and at most 255. The boundary of the block does not limit the distance.
/// @cost 26 comparisons per cell
std::vector<std::uint8_t> distance_to_occupied(index3 cells, const std::vector<std::uint8_t>& occupied);

/// Macro cells with content, and traversal of empty macro cells.
class occupied_cells {
 public:
  occupied_cells() = default;
  /// @param first first voxel of the first macro cell
  /// @param marks non-zero for cells with content
  occupied_cells(index3 first, index3 cells, const std::vector<std::uint8_t>& marks) : first_(first), cells_(cells) {
    for (int axis = 0; axis < 3; ++axis) {
      first_voxel_[axis] = static_cast<std::int32_t>(first[axis]);
      last_cell_[axis] = static_cast<std::int32_t>(cells[axis] - 1);
      first_voxels_[axis] = integer4{} + first_voxel_[axis];
      last_cells_[axis] = integer4{} + last_cell_[axis];
    }
    words_.resize(marks.size());
    const auto distance = distance_to_occupied(cells, marks);
    for (std::size_t i = 0; i < marks.size(); ++i) words_[i] = static_cast<std::uint16_t>(marks[i] << 8 | distance[i]);
  }

  /// Find the next segment with visible content, from `segment` on. @param first beginning() of the segment @param cell
  /// macro cell of the segment @return false if no such segment exists
  [[gnu::always_inline]] inline bool find(const ray_segments& segments, const ray_segments::part& along,
                                          std::int64_t& segment, double4& first, std::size_t& cell) const {
    static_assert(value_bounds::edge == 4);
    while (segment < along.last) {
      first = segments.beginning(along, segment);
      integer4 at = (__builtin_convertvector(segments.half_way(along, first), integer4) - first_voxel_) >> 2;
      at = at < 0 ? integer4{} : at;  // positions outside of the domain belong to the first or last plane
      at = at > last_cell_ ? last_cell_ : at;
      cell = static_cast<std::size_t>((at[0] * cells_.y + at[1]) * cells_.x + at[2]);
      const int distance = words_[cell] & 255;
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

  /// As the function for one ray, for four rays. @param marks marks of the cells of the segments, times 256 @return the rays
  /// that have such a segment
  [[gnu::always_inline]] inline lanes4 find(const ray_segments& segments, four_rays& rays, integer4& marks) const {
    for (;;) {
      const lanes4 under_way = rays.begin < rays.end;
      const unsigned active = bits(under_way);
      if (active == 0) return under_way;
      double4 middle[3];
      segments.locate(rays, middle);
      integer4 at[3];
      for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (__builtin_convertvector(middle[axis], integer4) - first_voxels_[axis]) >> 2;
        at[axis] = at[axis] < 0 ? integer4{} : at[axis];
        at[axis] = at[axis] > last_cells_[axis] ? last_cells_[axis] : at[axis];
      }
      const integer4 cells = (at[0] * (last_cells_[1] + 1) + at[1]) * (last_cells_[2] + 1) + at[2];
      std::uint32_t cell[4];
      store(cell, cells);
      by_memory(cell);
      typedef std::uint16_t words __attribute__((vector_size(8)));
      const words found{words_[cell[0]], words_[cell[1]], words_[cell[2]], words_[cell[3]]};
      marks = __builtin_convertvector(found, integer4);
      const integer4 distance = marks & 255;
      if ((bits(distance > 0) & active) == 0) return under_way;
      skip(segments, rays, at, distance);
    }
  }

 private:
  // Advance over the macro cells within the distance to the nearest cell with content.
  [[gnu::noinline]] void skip(const ray_segments& segments, four_rays& rays, const integer4 (&at)[3],
                              const integer4& distance) const {
    double4 low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = __builtin_convertvector(first_voxel_[axis] + (at[axis] - distance + 1) * value_bounds::edge, double4);
      high[axis] = __builtin_convertvector(first_voxel_[axis] + (at[axis] + distance) * value_bounds::edge, double4);
    }
    segments.leave_box(rays, low, high, __builtin_convertvector(distance > 0, lanes4) & (rays.begin < rays.end));
  }

  index3 first_, cells_;
  integer4 first_voxel_{}, last_cell_{};          // first_ and last cell as vectors, z, y, x, 0
  integer4 first_voxels_[3]{}, last_cells_[3]{};  // z, y, x; four equal lanes
  std::vector<std::uint16_t> words_;              // per macro cell: mark * 256 + distance from marked cells
};

}  // namespace osteon::kernel
