#pragma once
/// @file
/// Coarse levels of conduction: aggregates of up to 4 x 4 x 4 cells, then of 2 x 2 x 2 aggregates. Each aggregate is
/// connected inside its block.
///
/// Cells of different pores or struts in one block never share an aggregate. A coarse level therefore preserves the topology
/// of the fine level; averages over boxes would destroy this topology. The coarse conductance between two aggregates is a
/// sum of fine conductances over their common faces (Galerkin with constants). This sum is divided by the ratio of the
/// centre distance on the coarse level to the centre distance on the fine level. Without this division, conductances would
/// correspond to half of the actual distance, and the coarse operator would be too stiff by a factor of two
/// (over-correction).
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
  std::array<int, 3> shift{};  ///< blocks of the level have 2^shift voxels, by axis
  vector3 spacing_mm;
  index3 domain;
  std::array<float, 3> period{};           ///< length of the box on periodic axes, else 0 [mm]
  std::array<bool, 6> is_fixed_on_face{};  ///< per side: true if the temperature is prescribed on the face itself, not
                                           ///< behind a film
};

/// Diagonal of K without the contributions of neighbours: conductance of each owned point to the surroundings, and heat
/// storage.
std::vector<float> diagonal_without_neighbours(const level_geometry& geometry);

/// A coarse level.
struct coarse_level {
  /// First fine points of each strip. Strips have no common parents; threads can therefore restrict different strips in
  /// parallel.
  struct strip {
    std::int32_t piece = 0, point = 0;
  };
  kernel::sparse_rows matrix;
  halo links;
  std::int32_t ghosts = 0;  ///< after the owned points
  // Parents of the owned points of the finer level, in pieces: length[p] consecutive fine points have the parent parent[p].
  // The cells of one run in one block form a piece. Pieces need less memory than one number per cell.
  std::vector<std::int32_t> parent;
  std::vector<std::uint8_t> length;
  std::vector<strip> strips;  ///< ... and the end of the last one
};

/// Shift of the next level. The block length doubles along an axis unless the block is much longer along this axis than
/// along its shortest axis. Blocks of flat voxels thus become nearly cubic. A point smoother is efficient for nearly cubic
/// blocks.
std::array<int, 3> next_shift(const std::array<int, 3>& shift, const vector3& spacing_mm, index3 domain);

/// Build level 1 from the cells. @collective on the halo's communicator
coarse_level aggregate(const heat_cells& fine, level_geometry& geometry);

/// Build the next level from a coarse level. On return, `geometry` describes the new level. @collective
coarse_level aggregate(const coarse_level& fine, level_geometry& geometry);

}  // namespace osteon::numerics
