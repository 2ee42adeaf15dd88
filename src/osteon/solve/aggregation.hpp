#pragma once
/// @file
/// Coarse levels of conduction: aggregates of up to 2 x 2 x 2 cells that are connected inside their block.
///
/// Cells of different pores or struts that share a block never share an aggregate: a coarse level keeps the topology
/// of the fine one, which averaging in boxes destroys. The coarse conductance between two aggregates is the sum over
/// their common faces (Galerkin with constants), lowered by the ratio of the distances of the centres: the plain sum
/// takes the flux through a face over half the real distance and would be twice too stiff (over-correction).
#include <osteon/kernel/sparse_rows.hpp>
#include <osteon/solve/conduction_cells.hpp>
#include <vector>

namespace osteon::solve {

/// Geometry of the points of a level, owned points first, then ghosts. Needed during the setup only.
struct level_geometry {
  struct point {
    std::array<float, 3> centre{};  ///< (z, y, x) [mm]
    float cells = 0;                ///< number of fine cells
  };
  struct place {
    std::int32_t z, y, x;  ///< block of the global grid of this level
    friend bool operator==(const place&, const place&) = default;
  };
  std::vector<point> points;
  std::vector<place> places;                ///< owned points only
  std::vector<std::array<float, 2>> walls;  ///< conductance to the low and the high face, owned points only
  std::array<int, 3> shift{};               ///< the level's blocks hold 2^shift voxels by axis
};

/// A coarse level.
struct coarse_level {
  kernel::sparse_rows matrix;
  plane_halo halo;
  std::int32_t ghosts = 0;  ///< after the owned points
  /// Owned points of the finer level -> point of this one. Index 0 is the finer level's first owned point.
  std::vector<std::int32_t> parent;
  /// Fine points strip[s] .. strip[s + 1] - 1 have parents of their own: strips restrict in parallel without races.
  std::vector<std::int32_t> strip;
};

/// Axes to halve next: those on which a block is not much longer than on its shortest axis. Halving only these brings
/// flat voxels back to cubes, for which a point smoother works.
std::array<int, 3> next_shift(const std::array<int, 3>& shift, const vector3& spacing_mm, index3 domain);

/// Level 1 from the cells. @collective on the halo's communicator
coarse_level aggregate(const conduction_cells& fine, const heat_problem& problem, level_geometry& geometry);

/// The next level from a coarse one; `geometry` becomes that of the new level. @collective
coarse_level aggregate(const coarse_level& fine, const heat_problem& problem, level_geometry& geometry);

}  // namespace osteon::solve
