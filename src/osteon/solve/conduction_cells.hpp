#pragma once
/// @file
/// The cells of a conduction problem as one rank sees them, numbered so that the operator walks with unit stride.
#include <algorithm>
#include <array>
#include <osteon/kernel/conduction.hpp>
#include <osteon/solve/heat.hpp>
#include <osteon/solve/plane_halo.hpp>
#include <vector>

namespace osteon::solve {

/// A face of an owned cell on an outer face of the box where something happens.
struct outer_face {
  std::int32_t cell;
  std::int32_t other;    ///< the wall cell, the cell across a periodic face, or `cell` itself where a flux is given
  std::int32_t z, y, x;  ///< voxel in the whole image
  std::uint8_t side;     ///< 2 axis + (1 on the high face)

  int axis() const { return side / 2; }
  bool high() const { return side % 2 != 0; }
};

/// A numbering: ghosts of the rank below, owned cells, ghosts of the rank above, then six rows of wall cells, one for each
/// outer face, and some padding. A vector over it has `size` values; an owned plane next to a neighbour and the ghosts are
/// contiguous in it. Wall cells stand for the surroundings and are zero: what they do is on the right-hand side.
struct conduction_cells {
  grid::block where;  ///< a closed ring if z repeats
  vector3 spacing_mm;
  std::array<bool, 3> periodic{};
  voxel::run_set cells;             ///< owned cells and ghosts, shape (owned planes + 2, y, x); read by the setup only
  std::int32_t begin = 0, end = 0;  ///< owned cells
  std::int32_t walls = 0, size = 0;
  std::vector<std::uint8_t> material;  ///< shape (size); of wall cells a number that no material has
  std::vector<std::uint8_t> open;      ///< shape (size); neighbours that exist, bits as in conduction_stencil
  std::vector<kernel::conduction_segment> segments;
  std::vector<kernel::conduction_corner> corners;
  std::vector<outer_face> outer;          ///< in the order of the cells
  std::array<double, 256> resistivity{};  ///< [mm K/W]
  std::array<double, 256> storage{};      ///< heat that a cell takes up per kelvin and time step [W/K]; 0: steady
  std::array<double, 3> face{};           ///< 2 A / h by axis [mm]
  plane_halo halo;

  std::int32_t owned() const { return end - begin; }
  bool is_wall(std::int32_t i) const { return i >= walls; }
  bool is_steady() const {
    return std::all_of(storage.begin(), storage.end(), [](double s) { return s == 0; });
  }
  double conductance(const outer_face& f) const {
    const auto r = [&](std::int32_t i) { return resistivity[material[static_cast<std::size_t>(i)]]; };
    return face[static_cast<std::size_t>(f.axis())] / (r(f.cell) + r(f.other));
  }
  template <class T>
  kernel::conduction_stencil<T> stencil() const {
    kernel::conduction_stencil<T> k{segments, corners, open.data(), material.data(), {}, {}, {}};
    for (std::size_t m = 0; m < resistivity.size(); ++m) {
      k.resistivity[m] = static_cast<T>(resistivity[m]);
      k.storage[m] = static_cast<T>(storage[m]);
    }
    for (std::size_t a = 0; a < 3; ++a) k.face[a] = static_cast<T>(face[a]);
    return k;
  }
};

/// Number the given cells, cut their runs into segments and find their outer faces.
/// @param problem checked; its cells are not read
/// @param cells the cells that take part and their ghosts, from with_ghost_runs (or fewer)
/// @param material per owned cell of `cells`
/// @collective on problem.where.comm
conduction_cells make_conduction_cells(const heat_problem& problem, voxel::run_set cells,
                                       std::vector<std::uint8_t> material);

}  // namespace osteon::solve
