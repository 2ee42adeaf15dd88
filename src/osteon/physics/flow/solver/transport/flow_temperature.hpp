#pragma once
/// @file
/// Heat with flow: the steady temperature of a fluid that flows and of the solid around it.
///
/// One temperature per voxel. Heat is conducted everywhere, with the two-point fluxes and harmonic conductivities of the
/// heat solver, and carried by the flow through the faces of fluid voxels. Units: mm, s, K, W.
#include <optional>
#include <osteon/numerics/operators/heat_problem.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// How a temperature is carried through a face.
enum class heat_convection {
  /// Central where the Peclet number of a voxel is at most 2, and as much of it elsewhere as cannot oscillate.
  hybrid,
  /// The same, and beyond it what van Leer's limiter allows: second order where the temperature is smooth.
  limited,
  central  ///< second order everywhere; may oscillate
};

/// What happens to heat on a part of an outer face of the image that is no opening for the fluid.
struct heat_boundary {
  flow_boundary place;  ///< its face, part of the face, and name; nothing else of it is read
  face_condition heat;
};

struct temperature_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;                   ///< voxels that have a temperature
  std::vector<material_number> material;  ///< per cell
  voxel::material_table materials;        ///< conductivities, > 0 where used
  std::vector<double> source_W_per_mm3;   ///< heat made per volume, by material; empty: none

  voxel::run_set fluid;                        ///< of the flow: some of the cells
  std::vector<double> face_velocity_mm_per_s;  ///< as in through_solution; empty: the fluid stands still
  double heat_capacity_J_per_mm3K = 0;         ///< of the fluid: density times specific heat, > 0
  heat_convection convection = heat_convection::limited;
  bool holds_at_rest = false;  ///< an opening that nothing passes has its given temperature
  bool may_return = false;     ///< any share of the inflow may have no given temperature: it has that which is there

  /// In time: what all has at the start. Then nothing has to hold a temperature, and heat need not leave.
  std::optional<double> initial_K{};

  bool rehearses = false;  ///< whatever a solve may send, once each part: for the plans of virtual ranks; no answer

  std::vector<flow_boundary> openings;            ///< the flow's boundaries
  std::vector<std::optional<double>> incoming_K;  ///< of what flows in, by opening
  std::vector<heat_boundary> conditions;          ///< elsewhere; faces that none names are insulated
  bool conducts_through_openings = true;          ///< where fluid flows in; where it flows out nothing does
};

/// What an opening lets through.
struct opening_heat {
  double mixed_K = 0;           ///< weighted by what passes each voxel's face (mixing cup); NaN: nothing does
  double inflow_mm3_per_s = 0;  ///< less what flows out
  double conducted_W = 0;       ///< into the image, by conduction against or along the flow
};

/// Between the fluid and what surrounds it: solid, and walls with a condition for heat.
struct wall_heat {
  double area_mm2 = 0;  ///< of faces that heat can pass
  double heat_W = 0;    ///< into the fluid
  double mean_K = 0;    ///< over that area, on the faces
};

struct temperature_solution {
  std::vector<double> temperature_K;  ///< per cell
  std::vector<opening_heat> openings;
  std::vector<double> condition_W;                       ///< into the image, by condition
  std::array<std::array<double, 2>, 3> face_inflow_W{};  ///< by conduction and flux through outer faces
  double source_W = 0;
  double stored_W = 0;       ///< in time: taken up by fluid and solid
  double carried_out_W = 0;  ///< by the flow through openings, less what it brings, above the lowest given temperature
  wall_heat walls;
  double in_K = 0, out_K = 0;  ///< mixing cup of all that flows in, and out; NaN: nothing does
  double mean_K = 0, mean_fluid_K = 0, mean_solid_K = 0, low_K = 0, high_K = 0;
  /// By how much the temperature leaves the range that the conditions allow (maximum principle); 0 where sources or fluxes
  /// leave no such bound.
  double overshoot_K = 0;
  double cell_peclet_number = 0;  ///< highest: velocity times voxel times heat capacity over conductivity
  double limited_share = 0;       ///< of the faces that the flow passes, those that are not central
  /// Of the limiter: what the residual would be with the weights of the answer; the answer itself has those of a step
  /// before.
  double limiter_residual = 0;
  /// reaction_imbalance is that of heat: what enters by walls, openings and sources against what leaves.
  solve_certificate certificate;
};

/// Check without solving: what does not depend on the velocities. @throws as it @collective on problem.where.comm
void check_flow_temperature(const temperature_problem& problem);

/// Solve. Not reaching the tolerance is no error: then certificate.converged is false.
/// @param how.tolerance of |r| against that of the lowest given temperature everywhere, and of the balance of heat
/// @throws usage_error for conditions that contradict each other, or heat that cannot leave
/// @throws data_error for a material without conductivity @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
temperature_solution solve_flow_temperature(const temperature_problem& problem, const options& how, log_sink& log);

}  // namespace osteon::physics
