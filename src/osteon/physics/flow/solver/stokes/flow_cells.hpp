#pragma once
/// @file
/// The unknowns of Stokes flow on one rank.
#include <osteon/kernel/flow/stokes.hpp>
#include <osteon/numerics/operators/visit_neighbours.hpp>
#include <osteon/physics/flow/solver/stokes/flow_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Numbers of diagonals from this value on belong to open faces. The diagonals are computed for complete control volumes.
inline constexpr int open_face_frictions = 25;

/// Flowing cells in the numbering of the heat solver, and the faces between these cells.
///
/// If pressures are prescribed at the two faces of an axis, the velocities on these faces are unknowns. Velocities of the
/// low face are on low faces of cells. For the high face, the box is extended by one layer of cells. The cells of this layer
/// have only a low face.
struct flow_cells {
  heat_cells grid;         ///< cells, neighbours and ghosts of one material; `open` contains ghosts
  voxel::run_set numbers;  ///< numbers of the owned cells; coordinates are relative to the block
  /// for each component, shape (size); 0 for faces outside of the stencils
  std::array<std::vector<std::uint8_t>, 3> friction;
  std::array<std::array<double, 64>, 3> diagonal{};
  std::array<double, 3> weight{}, slope{};
  std::vector<kernel::stokes_open_face> open_faces;
  std::vector<std::int32_t> beyond;
  std::vector<std::int64_t> given;  ///< component * stride + cell, for faces that have neighbours with given velocities
  int through = -1;                 ///< axis with given pressures; -1: the box is periodic
  double unit_mm = 1;               ///< unit of length, which is the cube root of the volume of a voxel
  std::int64_t voxels;              ///< number of voxels of the box without the additional layer

  std::int64_t stride() const { return grid.size; }
  /// Returns true if the low face of a cell along `axis` has a velocity.
  bool has_face(std::size_t axis, std::int32_t cell) const { return friction[axis][static_cast<std::size_t>(cell)] != 0; }
  template <class T>
  kernel::stokes_stencil<T> stencil() const {
    kernel::stokes_stencil<T> k;
    k.segments = grid.segments;
    k.corners = grid.corners;
    k.open = grid.open.data();
    for (std::size_t c = 0; c < 3; ++c) {
      k.friction[c] = friction[c].data();
      for (std::size_t n = 0; n < 64; ++n) k.diagonal[c][n] = static_cast<T>(diagonal[c][n]);
      k.weight[c] = static_cast<T>(weight[c]);
      k.slope[c] = static_cast<T>(slope[c]);
    }
    k.open_faces = open_faces;
    k.beyond = beyond;
    k.given = given;
    k.stride = stride();
    return k;
  }
};

/// Return the block of a box that is longer by one voxel along an axis. @collective local
grid::block longer(grid::block where, int axis);

/// Number the cells of `cells.numbers` and their neighbours, and set the unit, the slopes and the weights of voxels.
/// @param where block of these cells @collective on where.comm
void set_grid(flow_cells& cells, const grid::block& where, const vector3& spacing_mm, std::array<bool, 3> periodic);

/// @param keep for each run of problem.cells: true if the fluid of the run flows @param through axis of the given pressures;
/// not used for a periodic box
/// @collective on problem.where.comm
flow_cells make_flow_cells(const flow_problem& problem, const std::vector<bool>& keep, int through);

/// Count faces, thin places and the wetted surface of the flowing cells. The function sets the corresponding members of
/// `counts`.
/// @returns the wetted surface [mm2] @collective on problem.where.comm
double survey(const flow_problem& problem, const flow_cells& cells, flow_counts& counts);

}  // namespace osteon::physics
