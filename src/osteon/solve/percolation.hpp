#pragma once
/// @file
/// Which cells are joined to the outer faces of the box, over all ranks.
#include <array>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <vector>

namespace osteon::solve {

/// Bit of `reached_faces` for the low or high face of an axis. Bits 6 and 7 are free for the caller's seeds.
constexpr std::uint8_t face_bit(int axis, bool high) { return static_cast<std::uint8_t>(1U << (2 * axis + (high ? 1 : 0))); }

/// `where` with the first and the last rank as neighbours, if the z axis repeats.
grid::block closed_ring(grid::block where, bool periodic_z);

/// The active cells of a block and of the neighbours' adjacent planes, shape (owned planes + 2, y, x): plane 0 lies
/// under the first owned plane. The planes of neighbours that do not exist are empty.
/// @param cells shape of where.owned @collective on where.comm
voxel::run_set with_ghost_runs(const grid::block& where, const voxel::run_set& cells);

/// For each run of `cells`, what face-connected paths of active cells join it to: the outer faces, and the seeds.
///
/// The runs of a block are united into components once; then a component hands its bits through the interfaces until
/// nothing changes anywhere, so no global numbering of components is needed.
/// @param where a closed ring if periodic[0] @param cells from with_ghost_runs
/// @param periodic axes on which paths go on at the opposite face
/// @param seed further bits per run of `cells`; empty: none
/// @collective on where.comm
/// @cost O(runs) time; per round one byte for each run of an interface plane, as many rounds as a path has to cross ranks
std::vector<std::uint8_t> reached_faces(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic,
                                        std::span<const std::uint8_t> seed);

/// How the two faces of a periodic axis fit onto each other, in solid voxels over all ranks.
struct face_match {
  std::int64_t low = 0, high = 0;  ///< on each face
  std::int64_t both = 0;           ///< places where both are solid
};

/// For each axis that repeats, how its faces match. @param where a closed ring if periodic[0]
/// @param cells from with_ghost_runs @collective on where.comm
std::array<face_match, 3> match_faces(const grid::block& where, const voxel::run_set& cells, std::array<bool, 3> periodic);

}  // namespace osteon::solve
