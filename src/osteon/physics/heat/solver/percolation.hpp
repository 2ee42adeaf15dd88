#pragma once
/// @file
/// Connectivity of cells to the outer faces of the box, on all ranks.
#include <array>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/numerics/operators/ghosted_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Bit of `connected_faces` for the low or high face of an axis. Bits 6 and 7 are free for the caller's seeds.
constexpr std::uint8_t face_bit(int axis, bool high) { return static_cast<std::uint8_t>(1U << (2 * axis + (high ? 1 : 0))); }

/// Unite runs of `cells` (including ghosts) that share a face. @collective local
disjoint_sets unite_runs(const ghosted_cells& cells);

/// Runs of the sent cells and of the received ghosts by link of a halo; one entry per cell.
struct link_runs {
  std::vector<std::vector<std::int32_t>> inside, beyond;
};
/// @collective local
link_runs runs_of_links(const ghosted_cells& cells);

/// Find the outer faces and seeds that face-connected paths of active cells connect to each run of `cells`.
///
/// The runs of a block are united into components once. The ranks exchange the bits of the components repeatedly, until no
/// bits change. The components have no global numbers.
/// @param cells from with_ghosts; ghosts at a periodic face continue paths at the opposite face
/// @param seed further bits per run of `cells`; empty: none
/// @collective on where.comm
/// @cost O(runs) time; one byte per ghost and exchange; the number of exchanges is the number of rank crossings of a path
std::vector<std::uint8_t> connected_faces(const grid::block& where, const ghosted_cells& cells,
                                          std::span<const std::uint8_t> seed);

/// Numbers of solid voxels on the two faces of a periodic axis, over all ranks.
struct face_match {
  std::int64_t low = 0, high = 0;  ///< on each face
  std::int64_t both = 0;           ///< positions with solid voxels on both faces
};

/// Match the faces of each periodic axis. @param cells from with_ghosts @collective on where.comm
std::array<face_match, 3> match_faces(const grid::block& where, const ghosted_cells& cells, std::array<bool, 3> periodic);

}  // namespace osteon::physics
