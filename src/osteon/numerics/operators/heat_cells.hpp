#pragma once
/// @file
/// The cells of a conduction problem on one rank, numbered for unit stride in the operator.
#include <algorithm>
#include <array>
#include <osteon/kernel/heat/conduction.hpp>
#include <osteon/numerics/operators/ghosted_cells.hpp>
#include <osteon/numerics/operators/heat_problem.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

/// A face of an owned cell on an outer face of the box with a boundary condition.
struct outer_face {
  std::int32_t cell;
  std::int32_t other;    ///< the wall cell, the cell across a periodic face, or `cell` itself for a prescribed flux
  std::int32_t z, y, x;  ///< voxel in the whole image
  std::uint8_t side;     ///< 2 axis + (1 on the high face)

  int axis() const { return side / 2; }
  bool high() const { return side % 2 != 0; }
};

/// First cells, segments and corners of a plane.
struct conduction_plane {
  std::int32_t cell = 0, segment = 0, corner = 0;
};

/// Numbering of the cells: owned cells in z, y, x order, ghosts, six rows of wall cells (one per outer face), and padding. A
/// vector has `size` values. Wall cells represent the surroundings. The value of a wall cell is zero, because the right-hand
/// side contains its contribution.
struct heat_cells {
  grid::block where;
  vector3 spacing_mm;
  std::array<bool, 3> periodic{};
  ghosted_cells cells;     ///< used only in set-up
  std::int32_t owned = 0;  ///< owned cells
  std::int32_t walls = 0;  ///< number of the first wall cell
  std::int32_t size = 0;
  std::vector<material_number> material;  ///< shape (size); wall cells have a number used by no material
  std::vector<std::uint8_t> open;         ///< shape (size); existing neighbours, bits as in conduction_stencil
  std::vector<kernel::conduction_segment> segments;
  std::vector<kernel::conduction_corner> corners;
  std::vector<outer_face> outer;    ///< in the order of the cells
  std::vector<double> resistivity;  ///< by the numbers in `material` [mm K/W]
  std::vector<double>
      storage;  ///< by the numbers in `material`: heat storage of a cell per kelvin and time step [W/K]; 0: steady
  std::array<double, 3> face{};          ///< 2 A / h by axis [mm]
  std::vector<conduction_plane> planes;  ///< owned planes, and the end of the last plane
  halo links;

  /// The segments and corners of owned planes.
  kernel::conduction_part part(std::int64_t begin, std::int64_t end) const {
    const auto &from = planes[static_cast<std::size_t>(begin)], &to = planes[static_cast<std::size_t>(end)];
    const auto piece = [](const auto& list, std::int32_t first, std::int32_t last) {
      return std::span(list).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    };
    return {piece(segments, from.segment, to.segment), piece(corners, from.corner, to.corner)};
  }
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
    for (const double r : resistivity) k.resistivity.push_back(static_cast<T>(r));
    for (const double s : storage) k.storage.push_back(static_cast<T>(s));
    for (std::size_t a = 0; a < 3; ++a) k.face[a] = static_cast<T>(face[a]);
    return k;
  }
};

/// Number the given cells, divide their runs into segments and find their outer faces.
/// @param problem must have been checked; its cells are not used
/// @param cells the cells of the problem and their ghosts
/// @param material per owned cell of `cells`
/// @collective on problem.where.comm
heat_cells make_conduction_cells(const heat_problem& problem, ghosted_cells cells, std::vector<material_number> material);

/// Number all cells of a problem as unknowns. @collective on problem.where.comm
heat_cells all_cells(const heat_problem& problem);

}  // namespace osteon::numerics
