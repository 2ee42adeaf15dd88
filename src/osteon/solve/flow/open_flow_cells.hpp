#pragma once
/// @file
/// The unknowns of flow between openings, and what happens at the faces of the image.
#include <osteon/solve/flow/flow_cells.hpp>
#include <osteon/solve/flow/flow_parts.hpp>
#include <osteon/solve/flow/flow_through.hpp>

namespace osteon::solve {

/// An outer face of a fluid voxel with a condition of the problem.
struct flow_side {
  std::int32_t cell = 0;   ///< inside
  std::int32_t face = -1;  ///< the cell whose low face it is; -1: nothing passes
  std::int32_t next = -1;  ///< cell behind the inner one, away from the face; may be a ghost
  std::int16_t boundary = 0;
  std::array<std::int64_t, 2> place{};  ///< in the face, along the first of axes_across and the second
};

/// A velocity's share of the friction on a sliding wall.
struct sliding_side {
  std::int32_t cell = 0;
  std::int16_t boundary = 0;
  std::int8_t component = 0;
  double weight = 0;  ///< of the wall's velocity on the right-hand side
};

/// A velocity along an opening: what leaves takes along its own.
struct passing_side {
  std::int32_t cell = 0, below = 0;  ///< of the face with the velocity
  std::int8_t component = 0, side = 0;
  float outlet_share = 0;  ///< 0, 0.5 or 1: by how much the opening is an outlet
};

/// Flowing cells, as flow_cells; behind each opening of a high face lies a cell that has this face and nothing else.
/// Velocities that are given have a place in the answer, but no friction: they are no unknowns.
struct open_flow_cells {
  flow_cells cells;
  std::vector<flow_side> sides;
  std::vector<sliding_side> sliding;
  std::vector<passing_side> passing;
  std::vector<std::uint8_t> outer;          ///< per owned cell: the sides that are faces of the image
  std::vector<std::int16_t> open_boundary;  ///< per entry of cells.open_faces: its boundary
  /// Per owned cell: number of its part if nothing gives the part's pressure, else -1. Empty: all pressures are given.
  std::vector<std::int32_t> free_part;
  std::int32_t free_parts = 0;
};

/// The condition of a voxel's outer face: index of the boundary, -1 for a wall without slip.
/// @param voxel of the image
int boundary_at(const through_problem& problem, index3 voxel, int side);

/// @param keep per run of problem.cells: whether it flows @param free_part per run: see open_flow_cells; empty: none
/// @collective on problem.where.comm
open_flow_cells make_open_flow_cells(const through_problem& problem, const std::vector<bool>& keep,
                                     const std::vector<std::int32_t>& free_part, std::int32_t free_parts);

}  // namespace osteon::solve
