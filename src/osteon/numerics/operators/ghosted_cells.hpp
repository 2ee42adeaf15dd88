#pragma once
/// @file
/// The active cells of a block and its ghost cells.
#include <array>
#include <osteon/grid/block.hpp>
#include <osteon/numerics/operators/halo.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

/// Active cells of a block, numbered from 0 in z, y, x order, followed by the ghosts of the block. Ghosts are active cells
/// of other ranks that share a face with the block. Ghosts are ordered by link, then in z, y, x order. On periodic axes, the
/// plane beyond a face is the plane at the opposite face, possibly of the same block.
struct ghosted_cells {
  index3 shape;  ///< shape of the block
  /// Owned runs and ghosts in z, y, x order. Coordinates are relative to the block; ghosts have the coordinate -1 or
  /// `shape`.
  std::vector<voxel::run> runs;
  std::vector<std::int32_t>
      row_begin;  ///< per row of (shape.z + 2, shape.y + 2): index of its first run; then the number of runs
  std::int32_t owned = 0, size = 0;  ///< number of owned cells; number of all cells, including ghosts
  halo links;

  /// The runs of row (z, y), ghosts included. A run of ghosts and a run of owned cells may be adjacent.
  std::span<const voxel::run> row(std::int64_t z, std::int64_t y) const {
    const auto r = static_cast<std::size_t>((z + 1) * (shape.y + 2) + y + 1);
    return std::span(runs).subspan(static_cast<std::size_t>(row_begin[r]),
                                   static_cast<std::size_t>(row_begin[r + 1] - row_begin[r]));
  }
  bool is_owned(const voxel::run& r) const { return r.first < owned; }
  /// The owned runs of row (z, y) of the block.
  std::span<const voxel::run> owned_row(std::int64_t z, std::int64_t y) const {
    auto all = row(z, y);
    while (!all.empty() && all.front().x < 0) all = all.subspan(1);
    while (!all.empty() && all.back().x >= shape.x) all = all.first(all.size() - 1);
    return all;
  }
};

/// @param cells the active cells of where.owned @param periodic axes on which the image is periodic
/// @collective on where.comm
ghosted_cells with_ghosts(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic);

/// The cells of the selected runs, renumbered.
/// @param keep per run: true if selected; equal for a cell and its ghosts on all ranks
ghosted_cells only(const ghosted_cells& all, const std::vector<bool>& keep);

}  // namespace osteon::numerics
