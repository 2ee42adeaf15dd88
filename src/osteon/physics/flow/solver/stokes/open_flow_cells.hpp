#pragma once
/// @file
/// The unknowns of flow between openings, and the conditions at the faces of the image.
#include <memory>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

class wall_surface;

/// Face of an owned fluid voxel with a condition of the problem. The face is a face of the image, or a face towards a
/// labelled voxel.
struct flow_side {
  std::int32_t cell = 0;  ///< fluid voxel at the face
  /// Cell that has this face as its low face. The cell may be a ghost inside the image. -1: no fluid flows through the face.
  std::int32_t face = -1;
  std::int32_t next = -1;  ///< neighbour of `cell` on the side opposite to the face; may be a ghost
  std::int16_t boundary = 0;
  std::uint8_t side = 0;  ///< side of the cell, 2 axis + (1 on the high face)

  std::size_t axis() const { return side / 2U; }
  /// Sign of a velocity into the fluid.
  double inwards() const { return side % 2 == 0 ? 1 : -1; }
};

/// A given velocity. The solution of the rank that owns the face contains this velocity.
struct given_face {
  std::int32_t face = 0;  ///< cell that has this face as its low face
  std::uint8_t side = 0;  ///< side of the fluid voxel
  index3 voxel;           ///< the fluid voxel in the image
};

/// A side of an owned fluid voxel towards a labelled voxel.
struct labelled_wall {
  std::int32_t cell = 0;
  std::uint8_t side = 0;
  std::int16_t boundary = -1;  ///< index of a wall or slip condition; -1: no condition
  material_number label = 0;
  std::array<std::int32_t, kernel::directions> near{};  ///< neighbours of the cell
};

/// Friction between a velocity and a sliding wall.
struct sliding_side {
  std::int32_t cell = 0;
  std::int16_t boundary = 0;
  std::int8_t component = 0;
  double weight = 0;  ///< weight of the velocity of the wall in the right-hand side
};

/// A velocity tangential to an opening. Outflow advects this velocity.
struct passing_side {
  std::int32_t cell = 0, below = 0;  ///< the two cells of the face with the velocity
  std::int8_t component = 0, side = 0;
  float outlet_share = 0;  ///< fraction of the face that is an outlet: 0, 0.5 or 1
};

/// Flowing cells. The cells extend flow_cells. Behind each opening at a high face, an additional cell has only the face of
/// the opening. Inside the image, this additional cell is the labelled voxel. All labelled voxels of openings are cells.
/// Adjacent velocities therefore have friction for any shape of the opening. The low faces of labelled voxels have a
/// velocity if the faces are openings. Given velocities have a position in the solution. These velocities have no friction,
/// because they are not unknowns.
struct open_flow_cells {
  flow_cells cells;
  std::vector<flow_side> sides;
  std::vector<given_face> given;
  std::vector<labelled_wall> labelled;
  std::vector<sliding_side> sliding;
  std::vector<passing_side> passing;
  /// For each periodic axis: cells with a low face at the beginning of the period.
  std::array<std::vector<std::int32_t>, 3> seam;
  std::vector<std::uint8_t> outer;  ///< for each owned cell: sides that are faces of the image
  /// for each owned cell: sides with a condition inside the image; empty: no such sides
  std::vector<std::uint8_t> inner;
  std::vector<std::int16_t> open_boundary;  ///< boundary of each entry in cells.open_faces
  /// For each owned cell: number of the part that contains the cell if the pressure of this part is undetermined. Otherwise,
  /// the value is -1. The list is empty if all pressures are determined.
  std::vector<std::int32_t> free_part;
  std::int32_t free_parts = 0;
  std::shared_ptr<const wall_surface> walls;  ///< walls of the flowing fluid; begin_through sets this member
};

/// Return the condition of an outer face of a voxel. The result is the index of the boundary, or -1 for a no-slip wall.
/// @param voxel voxel of the image
int boundary_at(const through_problem& problem, index3 voxel, int side);

/// @param keep for each run of problem.cells: true if the run flows @param free_part for each run: number as in
/// open_flow_cells; empty: no such part
/// @collective on problem.where.comm
open_flow_cells make_open_flow_cells(const through_problem& problem, const std::vector<bool>& keep,
                                     const std::vector<std::int32_t>& free_part, std::int32_t free_parts);

}  // namespace osteon::physics
