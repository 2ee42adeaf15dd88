#pragma once
/// @file
/// Smoothing of a solid. The level 1/2 of the smoothed field is the surface of the solid without voxel steps.
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <vector>

namespace osteon::render {

inline constexpr int mask_passes = 6;
inline constexpr int mask_exchanges = mask_passes + 1;  ///< number of exchanges of ghosts of depth 1

/// Smooth the indicator of the solid in six passes. A pass averages with the weights 1, 2, 1 along each axis. After each
/// pass, a constraint corrects the values: the surface must separate the centres of solid voxels from the centres of empty
/// voxels. @cite [Gibson1998]
/// As a result, terraces on slopes disappear, holes remain open, and thin plates remain connected. In solids thinner than
/// two voxels, the function raises the values. The thickness is then approximately preserved. Walls of up to three voxels
/// are smoothed only three times.
/// @param solid indicator with the shape of where.owned: 1 in voxels of the solid, 0 in other voxels
/// @param depth depth of the ghosts of the smoothed field
/// @return smoothed field; bitwise independent of the number of ranks
/// @collective on where.comm
/// @cost eight exchanges of ghosts; 17 bytes per voxel of temporary memory; 4 bytes per voxel for the smoothed field
grid::ghosted_field<float> smooth_mask(const grid::block& where, const std::vector<float>& solid, int depth);

}  // namespace osteon::render
