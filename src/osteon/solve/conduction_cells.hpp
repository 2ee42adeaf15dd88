#pragma once
/// @file
/// The cells of a conduction problem as one rank sees them, numbered so that the operator walks with unit stride.
#include <array>
#include <osteon/kernel/conduction.hpp>
#include <osteon/solve/heat.hpp>
#include <osteon/solve/plane_halo.hpp>
#include <vector>

namespace osteon::solve {

/// A numbering: ghosts of the rank below, owned cells, ghosts of the rank above, then a row of wall cells for the low
/// and one for the high face of `along`. A vector over it has `size` values; an owned plane next to a neighbour and
/// the ghosts are contiguous in it. The walls hold the fixed temperatures, or zero in a homogeneous problem.
struct conduction_cells {
  voxel::run_set cells;             ///< owned cells and ghosts, shape (owned planes + 2, y, x)
  std::int32_t begin = 0, end = 0;  ///< owned cells
  std::int32_t low_wall = 0, high_wall = 0, size = 0;
  std::vector<std::uint8_t> material;  ///< shape (size); 0 for wall cells
  std::vector<kernel::conduction_segment> uniform, mixed;
  std::array<double, 256> resistivity{};  ///< [mm K/W]
  std::array<double, 3> face{};           ///< 2 A / h by axis [mm]
  plane_halo halo;

  std::int32_t owned() const { return end - begin; }
  template <class T>
  kernel::conduction_stencil<T> stencil() const {
    kernel::conduction_stencil<T> k{uniform, mixed, material.data(), {}, {}};
    for (std::size_t m = 0; m < resistivity.size(); ++m) k.resistivity[m] = static_cast<T>(resistivity[m]);
    for (std::size_t a = 0; a < 3; ++a) k.face[a] = static_cast<T>(face[a]);
    return k;
  }
};

/// Number the given cells and cut their runs into segments.
/// @param cells the cells that take part and their ghosts, from with_ghost_runs (or fewer)
/// @param material per owned cell of `cells`
/// @collective on problem.where.comm
conduction_cells make_conduction_cells(const heat_problem& problem, voxel::run_set cells,
                                       std::vector<std::uint8_t> material);

}  // namespace osteon::solve
