#pragma once
/// @file
/// A problem of linear elasticity on a rank's voxels: input of the operator, the multigrid and the solver.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::numerics {

/// A prescribed displacement of a node in one axis.
struct prescribed_displacement {
  std::int32_t node;  ///< local number, in the order of corner_nodes(active_cells(block))
  axis direction;
  double value_mm;
};

/// A force at a node.
struct nodal_force {
  std::int32_t node;  ///< local number
  vector3 force_N;
};

/// An elasticity problem on a rank's block. Node data have shape (nodes, 3) in the order z, y, x.
struct elasticity_problem {
  grid::block where;
  vector3 spacing_mm;
  const voxel::material_table* materials = nullptr;
  voxel::run_set cells;                        ///< active voxels of the block
  voxel::run_set nodes;                        ///< corner nodes; a node between blocks exists on each adjacent block
  std::vector<material_number> material;       ///< per active cell
  std::vector<prescribed_displacement> fixed;  ///< equal on all copies of a node (checked)
  std::array<bool, 3> periodic{};              ///< opposite faces of the image have equal displacements, by axis z, y, x
  /// Used by problems without values (comm/virtual_ranks.hpp) if each voxel represents a brick of 2^missing_levels voxels:
  /// number of multigrid levels between voxels and bricks. The exchanges of these levels are equal to those of the level of
  /// voxels.
  int missing_levels = 0;
  /// Number of levels of the whole image, used with missing levels. 0: number of levels of the voxels plus the missing
  /// levels.
  int levels = 0;
  /// For tests: a level with a smaller mean number of nodes per rank, including copies, moves to an eighth of the ranks.
  /// Empty: elasticity_cycle::cheapest_ranks decides.
  std::optional<std::int64_t> fewest_nodes_of_rank{};
};

/// Position of a node [mm], relative to the low corner of the image.
vector3 position_mm(const elasticity_problem& problem, std::int32_t node);

}  // namespace osteon::numerics
