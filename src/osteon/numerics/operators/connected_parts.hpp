#pragma once
/// @file
/// Face-connected parts of cells over all ranks, and the parts that percolate through the box.
#include <array>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::numerics {

struct flow_parts {
  /// Per run of the cells: bit a is set if the part of the run percolates along axis a.
  std::vector<std::uint8_t> through;
  std::int64_t parts = 0;          ///< face-connected parts, all ranks
  std::int64_t flowing_parts = 0;  ///< number of parts that percolate along a requested axis
};

/// Find the face-connected parts of the cells over all ranks.
///
/// On a periodic box, a part percolates along an axis if a path in the part connects a voxel to the image of this voxel in
/// another period of the axis. Contact with both faces is not sufficient: a dead-end pore with contact to both faces has no
/// flow. On other boxes, a part percolates along an axis if the part touches both faces of the axis.
/// @param periodic true if the box is periodic along all axes @param wanted bits of the requested axes
/// @collective on where.comm
/// @cost parts at rank boundaries are gathered on rank 0
flow_parts find_flow_parts(const grid::block& where, const voxel::run_set& cells, bool periodic, std::uint8_t wanted);

/// The face-connected parts of the cells over all ranks.
struct numbered_parts {
  std::vector<std::int32_t> of_run;  ///< per run of the cells: its part
  std::int32_t count = 0;            ///< all ranks
  /// Per part: bit a is set if a path in the part connects a voxel to the image of this voxel in another period of axis a.
  std::vector<std::uint8_t> winds;
};

/// @param periodic axes along which the box is periodic
/// @collective on where.comm
/// @cost parts at rank boundaries are gathered on rank 0
numbered_parts number_flow_parts(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic = {});

}  // namespace osteon::numerics
