#pragma once
/// @file
/// Smoothing of a solid: the level 1/2 of the resulting field is its surface without voxel steps.
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <vector>

namespace osteon::render {

inline constexpr int mask_passes = 6;
inline constexpr int mask_exchanges = mask_passes + 1;  ///< exchanges of ghosts of depth 1

/// Smooth the indicator of the solid (1 in its voxels, 0 elsewhere) six times with weights 1, 2, 1 along each axis. A
/// constraint after each pass keeps the centres of solid voxels on one side of the surface and those of empty voxels on the
/// other, as in
/// @cite [Gibson1998]. Terraces on slopes disappear, while holes remain open and thin plates connected: values of solids
/// thinner than two voxels are raised to preserve about their thickness. Walls of up to three voxels are smoothed three
/// times only.
/// @param solid 1 in voxels of the solid, else 0; shape of where.owned
/// @param depth depth of the ghosts of the result
/// @return a field that is bitwise independent of the number of ranks
/// @collective on where.comm
/// @cost eight exchanges of ghosts; 17 bytes per voxel temporarily, 4 for the result
grid::ghosted_field<float> smooth_mask(const grid::block& where, const std::vector<float>& solid, int depth);

}  // namespace osteon::render
