#pragma once
/// @file
/// Smoothing of a solid. The level 1/2 of the result is the surface of the solid without voxel steps.
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <vector>

namespace osteon::render {

inline constexpr int mask_passes = 6;
inline constexpr int mask_exchanges = mask_passes + 1;  ///< exchanges of ghosts of depth 1

/// Smooth the indicator of the solid six times with the weights 1, 2, 1 along each axis. After each pass, a constraint is
/// applied: the surface must separate the centres of solid voxels from the centres of empty voxels, as in
/// @cite [Gibson1998]. Terraces on slopes disappear, holes remain open, and thin plates remain connected. In solids thinner
/// than two voxels, the values are raised to preserve the approximate thickness. Walls of up to three voxels are smoothed
/// only three times.
/// @param solid indicator: 1 in voxels of the solid, else 0; shape of where.owned
/// @param depth depth of the ghosts of the result
/// @return smoothed field; bitwise independent of the number of ranks
/// @collective on where.comm
/// @cost eight exchanges of ghosts; 17 bytes per voxel of temporary memory, 4 bytes per voxel for the result
grid::ghosted_field<float> smooth_mask(const grid::block& where, const std::vector<float>& solid, int depth);

}  // namespace osteon::render
