#pragma once
/// @file
/// A problem of heat conduction on a rank's voxels: input of the operator, the multigrid and the solver.
#include <array>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::numerics {

enum class thermal { insulated, temperature, flux, convection };

/// Boundary condition of the solid on an outer face of the image box.
struct face_condition {
  thermal kind = thermal::insulated;
  double temperature_K = 0;        ///< prescribed temperature of the face, half a voxel from the cell centre; for
                                   ///< convection, ambient temperature
  double flux_W_per_mm2 = 0;       ///< flux: heat into the solid per area
  double transfer_W_per_mm2K = 0;  ///< convection: heat transfer coefficient, > 0
};

/// A conduction problem. Faces without a condition are insulated.
///
/// A part of the solid may have a known temperature; the cells of such a part are not unknowns. A part of the solid in
/// contact with a single prescribed temperature has this temperature. A part without prescribed temperature and without heat
/// input gets the mean of the lowest and the highest prescribed temperature; every field is therefore finite.
struct heat_problem {
  grid::block where;
  vector3 spacing_mm;
  const voxel::material_table* materials = nullptr;
  voxel::run_set cells;                                  ///< active voxels of the block
  std::vector<material_number> material;                 ///< per active cell
  std::array<std::array<face_condition, 2>, 3> faces{};  ///< by axis (z, y, x); low, high
  /// Periodic axes: the low and the high face are one plane, and T(x + L) = T(x) + gradient L.
  std::array<bool, 3> periodic{};
  /// Gradient added to all prescribed temperatures: T + gradient . (x - centre of the box).
  vector3 gradient_K_per_mm{};
  std::vector<double> source_W_per_mm3{};  ///< heat source per volume, by material; empty: none
};

/// Check the consistency of a problem before any computation. @throws usage_error for an inconsistent problem @throws
/// data_error for cells without a conductivity
/// @collective on problem.where.comm: all ranks throw the same error
void check_conduction(const heat_problem& problem);

}  // namespace osteon::numerics
