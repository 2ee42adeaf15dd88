#pragma once
/// @file
/// Cell fields with the neighbours' voxels around them.
#include <osteon/grid/block.hpp>
#include <osteon/plan/exchange/neighbours.hpp>
#include <vector>

namespace osteon::grid {

/// A dense field over a box: a block and the voxels around it, as far as the domain reaches.
template <class T>
struct ghosted_field {
  box3 present;  ///< in the domain
  std::vector<T> values;
};

/// The block's voxels and those up to `depth` away along each axis: across faces, edges and corners.
box3 with_ghosts(const block& where, int depth);

/// The plan of a rank's part in with_ghost_cells. @collective local
plan::neighbour_part plan_of_ghost_cells(const block& where, int depth);

/// Extend `owned` by its ghosts.
/// @param owned shape of where.owned
/// @collective on where.comm; blocks may be thinner than `depth`
/// @cost one message each way with each rank that has ghosts, as many values as there are ghosts
template <class T>
ghosted_field<T> with_ghost_cells(const block& where, const std::vector<T>& owned, int depth);

extern template ghosted_field<float> with_ghost_cells(const block&, const std::vector<float>&, int);

}  // namespace osteon::grid
