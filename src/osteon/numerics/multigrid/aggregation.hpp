#pragma once
/// @file
/// Coarse levels of conduction: aggregates of up to 4 x 4 x 4 cells, then of 2 x 2 x 2 aggregates, each connected inside its
/// block.
///
/// Cells of different pores or struts in one block never share an aggregate: a coarse level preserves the topology of the
/// fine one, which averaging in boxes destroys. The coarse conductance between two aggregates is the sum over their common
/// faces (Galerkin with constants), divided by the ratio of the distances of the centres: the plain sum applies the flux
/// through a face over half the real distance and would be twice too stiff (over-correction).
#include <osteon/kernel/sparse_rows.hpp>
#include <osteon/numerics/operators/heat_cells.hpp>
#include <vector>

namespace osteon::numerics {

/// Geometry of the points of a level, owned points first, then ghosts. Used only during set-up.
struct level_geometry {
  struct point {
    std::array<float, 3> centre{};  ///< (z, y, x) [mm]
    float cells = 0;                ///< number of fine cells
  };
  struct place {
    std::int32_t z, y, x;  ///< block of the global grid of this level
    friend bool operator==(const place&, const place&) = default;
  };
  /// Conductance of a point to the surroundings behind an outer face.
  struct wall {
    std::int32_t point;
    std::uint8_t side;  ///< 2 axis + (1 on the high face)
    float conductance;
  };
  std::vector<point> points;
  std::vector<place> places;   ///< owned points only
  std::vector<wall> walls;     ///< walls of owned points, at most one per side of a point
  std::vector<float> storage;  ///< per owned point [W/K]; empty in a steady problem
  std::array<int, 3> shift{};  ///< the level's blocks hold 2^shift voxels by axis
  vector3 spacing_mm;
  index3 domain;
  std::array<float, 3> period{};           ///< length of the box on periodic axes, else 0 [mm]
  std::array<bool, 6> is_fixed_on_face{};  ///< per side: temperature on the face itself, not behind a film
};

/// Conductance of each owned point to the surroundings, and its storage: the part of the diagonal of K without contributions
/// of neighbours.
std::vector<float> loose_ends(const level_geometry& geometry);

/// A coarse level.
struct coarse_level {
  /// First fine points of each strip: strips have separate parents, so they are restricted in parallel without races.
  struct strip {
    std::int32_t piece = 0, point = 0;
  };
  kernel::sparse_rows matrix;
  halo links;
  std::int32_t ghosts = 0;  ///< after the owned points
  // Owned points of the finer level -> points of this one, in pieces: length[p] fine points in a row have parent[p]. The
  // cells of one run in one block form a piece, which needs less memory than a number per cell.
  std::vector<std::int32_t> parent;
  std::vector<std::uint8_t> length;
  std::vector<strip> strips;  ///< ... and the end of the last one
};

/// Axes to halve next: those on which a block is not much longer than on its shortest axis. Halving only these restores
/// nearly cubic blocks from flat voxels, for which a point smoother is efficient.
std::array<int, 3> next_shift(const std::array<int, 3>& shift, const vector3& spacing_mm, index3 domain);

/// Build level 1 from the cells. @collective on the halo's communicator
coarse_level aggregate(const heat_cells& fine, level_geometry& geometry);

/// Build the next level from a coarse one; `geometry` is replaced by that of the new level. @collective
coarse_level aggregate(const coarse_level& fine, level_geometry& geometry);

}  // namespace osteon::numerics
