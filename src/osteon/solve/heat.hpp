#pragma once
/// @file
/// Steady heat conduction on voxels: one temperature per active voxel, two-point fluxes, insulated void.
#include <osteon/base/sink.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/solve/report.hpp>
#include <osteon/voxel/model.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::solve {

/// A conduction problem: fixed temperatures on the two outer faces of `along`, everything else insulated. The fixed
/// temperature sits on the face, half a voxel from the centre of the first cell.
///
/// Only cells on a path between the two faces are unknowns. Cells that hang on one face have its temperature exactly;
/// islands that touch neither face carry no heat and have no temperature of their own: they are given the mean of the
/// two, which is one of their solutions and keeps every field finite.
struct heat_problem {
  grid::block where;
  vector3 spacing_mm;
  const voxel::material_table* materials = nullptr;
  voxel::run_set cells;                ///< active voxels of the owned planes
  std::vector<std::uint8_t> material;  ///< per active cell
  axis along = axis::z;
  double low_K = 0, high_K = 1;  ///< temperatures of the low and the high face
};

struct heat_solution {
  std::vector<double> temperature_K;  ///< per active cell
  double flux_low_W = 0;              ///< heat that enters through the low face: negative if high_K > low_K
  double flux_high_W = 0;             ///< heat that leaves through the high face; both are residual-corrected, so equal
  certificate proof;
};

/// Solve by multigrid-preconditioned conjugate gradients.
/// Stops when |r| <= tolerance |r0| and the last step changed the flux by less than a thousandth of the tolerance.
/// Not reaching that is no error: then proof.converged is false.
/// @throws usage_error, data_error for a problem that is not consistent, or a material without conductivity
/// @throws data_error if no conducting path joins the two faces
/// @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
heat_solution solve_heat(const heat_problem& problem, const options& how, sink& log);

/// Magnitude of the heat flux density in each active cell [W/mm2], mean of the fluxes through opposite faces.
/// An insulated face counts with no flux.
/// @param temperature_K per active cell @throws usage_error if there is not one temperature per active cell
/// @collective on problem.where.comm
std::vector<float> heat_flux_density(const heat_problem& problem, const std::vector<double>& temperature_K);

}  // namespace osteon::solve
