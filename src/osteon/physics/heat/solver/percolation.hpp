#pragma once
/// @file
/// Connections between cells and the outer faces of the box, on all ranks.
#include <array>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/numerics/operators/ghosted_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// Bit of `connected_faces` for the low or the high face of an axis. The caller may use the bits 6 and 7 for seeds.
constexpr std::uint8_t face_bit(int axis, bool high) { return static_cast<std::uint8_t>(1U << (2 * axis + (high ? 1 : 0))); }

/// Unite runs of `cells` (including ghosts) that have a common face. @collective local
disjoint_sets unite_runs(const ghosted_cells& cells);

/// Runs of the sent cells and of the received ghosts, for each link of a halo. Each cell has one entry.
struct link_runs {
  std::vector<std::vector<std::int32_t>> inside, beyond;
};
/// @collective local
link_runs runs_of_links(const ghosted_cells& cells);

/// For each run of `cells`, find the outer faces and seeds to which face-connected paths of active cells lead.
///
/// The runs of a block are united into components once. The ranks exchange the bits of the components until no bits change.
/// The components need no global numbers.
/// @param cells result of with_ghosts; ghosts at a periodic face continue paths at the opposite face
/// @param seed further bits for each run of `cells`; empty: no seeds
/// @collective on where.comm
/// @cost O(runs) time; one byte per ghost in each exchange; one exchange for each crossing of a path to another rank
std::vector<std::uint8_t> connected_faces(const grid::block& where, const ghosted_cells& cells,
                                          std::span<const std::uint8_t> seed);

/// Numbers of solid voxels on the two faces of a periodic axis, on all ranks.
struct face_match {
  std::int64_t low = 0, high = 0;  ///< number of solid voxels on each face
  std::int64_t both = 0;           ///< number of positions with solid voxels on both faces
};

/// Compare the two faces of each periodic axis. @param cells result of with_ghosts @collective on where.comm
std::array<face_match, 3> match_faces(const grid::block& where, const ghosted_cells& cells, std::array<bool, 3> periodic);

}  // namespace osteon::physics
