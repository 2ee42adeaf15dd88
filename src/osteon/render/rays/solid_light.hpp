#pragma once
/// @file
/// Coarse copy of the complete solid on every rank. The copy is used for the occlusion of light.
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/kernel/rays/solid_pyramid.hpp>

namespace osteon::render {

/// Maximum number of cells. The maximum is independent of the domain and of the number of ranks.
inline constexpr std::int64_t most_light_cells = std::int64_t{1} << 21;

/// Number of voxels along each edge of a cell. In mm, a cell is approximately a cube. The number of cells is at most
/// most_light_cells.
index3 light_cell(index3 domain, const vector3& spacing_mm);

/// Compute the fraction of solid voxels in each cell. A voxel is solid if its value is at least `level`.
/// @param field field with ghosts of any depth; voxels with NaN are not solid
/// @return pyramid that is equal on all ranks @collective on where.comm
/// @cost one allreduce of 4 bytes per cell, at most 8 MiB; 11 MiB of memory for the pyramid
kernel::solid_pyramid gather_solid(const grid::block& where, const vector3& spacing_mm,
                                   const grid::ghosted_field<float>& field, double level);

}  // namespace osteon::render
