#pragma once
/// @file
/// Which cells are joined to the two outer faces of an axis, over all ranks.
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::solve {

/// Bits of `reached_faces`.
enum reach : std::uint8_t { reaches_none = 0, reaches_low = 1, reaches_high = 2, reaches_both = 3 };

/// The active cells of a block and of the neighbours' adjacent planes, shape (owned planes + 2, y, x): plane 0 lies
/// under the first owned plane. The planes beyond the domain are empty.
/// @param cells shape of where.owned @collective on where.comm
voxel::run_set with_ghost_runs(const grid::block& where, const voxel::run_set& cells);

/// For each run of `cells`, the outer faces of `along` that face-connected paths of active cells join it to.
///
/// The runs of a block are united into components once; then a component hands its bits through the interfaces until
/// nothing changes anywhere, so no global numbering of components is needed.
/// @param cells from with_ghost_runs @collective on where.comm
/// @cost O(runs) time; per round one byte for each run of an interface plane, as many rounds as a path has to cross ranks
std::vector<std::uint8_t> reached_faces(const grid::block& where, const voxel::run_set& cells, axis along);

}  // namespace osteon::solve
