#pragma once
/// @file
/// Cell fields with ghost cells.
#include <osteon/grid/block.hpp>
#include <osteon/plan/exchange/neighbours.hpp>
#include <vector>

namespace osteon::grid {

/// Dense field over a block and the ghost voxels of the block inside the domain.
template <class T>
struct ghosted_field {
  box3 present;  ///< box of the values, inside the domain
  std::vector<T> values;
};

/// Box of the block and of its ghost voxels. Ghost voxels have a distance of at most `depth` voxels along each axis, across
/// faces, edges and corners.
box3 with_ghosts(const block& where, int depth);

/// Part of a rank in the plan of with_ghost_cells. @collective local
plan::neighbour_part plan_of_ghost_cells(const block& where, int depth);

/// Extend the field `owned` by its ghost cells.
/// @param owned field with the shape of where.owned
/// @collective on where.comm; blocks may be thinner than `depth`
/// @cost one message in each direction for each rank that owns ghosts; one value per ghost
template <class T>
ghosted_field<T> with_ghost_cells(const block& where, const std::vector<T>& owned, int depth);

extern template ghosted_field<float> with_ghost_cells(const block&, const std::vector<float>&, int);

}  // namespace osteon::grid
