#pragma once
/// @file
/// The solid of all ranks, coarse enough that each has all of it: what stands between a point and the light.
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/kernel/rays/solid_pyramid.hpp>

namespace osteon::render {

/// Most cells in which the solid is counted, whatever the domain and the number of ranks.
inline constexpr std::int64_t most_light_cells = std::int64_t{1} << 21;

/// Voxels along each edge of a cell: cells are about cubes in mm, and no more than most_light_cells.
index3 light_cell(index3 domain, const vector3& spacing_mm);

/// Count the voxels whose value reaches a level.
/// @param field with any ghosts; NaN lies below the level
/// @return the same on all ranks @collective on where.comm
/// @cost one allreduce of 4 bytes a cell, 8 MiB at most; 11 MiB are kept
kernel::solid_pyramid gather_solid(const grid::block& where, const vector3& spacing_mm,
                                   const grid::ghosted_field<float>& field, double level);

}  // namespace osteon::render
