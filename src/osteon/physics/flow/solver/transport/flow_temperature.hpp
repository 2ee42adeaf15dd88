#pragma once
/// @file
/// Conjugate heat transfer: the steady temperature of a flowing fluid and of the solid around it.
///
/// Each voxel has one temperature. Heat is conducted in all voxels, with the two-point fluxes and harmonic conductivities
/// of the heat solver. The flow advects heat through the faces of fluid voxels. The units are mm, s, K and W.
#include <optional>
#include <osteon/numerics/operators/heat_problem.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Interpolation of the advected temperature on a face.
enum class heat_convection {
  /// Central if the Peclet number of a voxel is at most 2. Otherwise the interpolation has the largest central fraction
  /// without oscillation.
  hybrid,
  /// Hybrid, with a larger central fraction if van Leer's limiter permits a larger fraction. Second order for smooth
  /// temperatures.
  limited,
  central  ///< second order everywhere; may oscillate
};

/// Thermal condition on a part of an outer face of the image that is not an opening for the fluid.
struct heat_boundary {
  flow_boundary place;  ///< face, part of the face, and name; other members are not used
  face_condition heat;
};

struct temperature_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;                   ///< voxels with a temperature
  std::vector<material_number> material;  ///< per cell
  voxel::material_table materials;        ///< conductivities, > 0 for materials in use
  std::vector<double> source_W_per_mm3;   ///< heat source per volume, by material; empty: no sources

  voxel::run_set fluid;                        ///< cells of the flow: a subset of the cells
  std::vector<double> face_velocity_mm_per_s;  ///< as in through_solution; empty: fluid at rest
  double heat_capacity_J_per_mm3K = 0;         ///< heat capacity of the fluid: density times specific heat, > 0
  heat_convection convection = heat_convection::limited;
  bool holds_at_rest = false;  ///< an opening without flow has its given temperature
  bool may_return = false;     ///< inflow without a given temperature is allowed; such inflow has the local temperature

  /// Uniform initial temperature of transient heat. With an initial temperature, prescribed temperatures and a heat sink
  /// are optional.
  std::optional<double> initial_K{};

  bool counts_messages = false;  ///< count the messages of each part once, on virtual ranks, without a solution

  std::vector<flow_boundary> openings;            ///< the flow's boundaries
  std::vector<std::optional<double>> incoming_K;  ///< temperature of the inflow, by opening
  std::vector<heat_boundary> conditions;          ///< conditions of other faces; faces without a condition are insulated
  bool conducts_through_openings = true;          ///< inflow openings conduct heat; outflow has no condition
};

/// Heat through an opening.
struct opening_heat {
  double mixed_K = 0;           ///< mixing-cup temperature: mean weighted by the flow through each voxel face; NaN: no flow
  double inflow_mm3_per_s = 0;  ///< inflow minus outflow
  double conducted_W = 0;       ///< heat conducted into the image, against or along the flow
};

/// Heat transfer between the fluid and its surroundings: solid, and walls with a thermal condition.
struct wall_heat {
  double area_mm2 = 0;  ///< area of conducting faces
  double heat_W = 0;    ///< heat flow into the fluid
  double mean_K = 0;    ///< mean temperature of the conducting faces
};

struct temperature_solution {
  std::vector<double> temperature_K;  ///< per cell
  std::vector<opening_heat> openings;
  std::vector<double> condition_W;                       ///< heat flow into the image, by condition
  std::array<std::array<double, 2>, 3> face_inflow_W{};  ///< heat flow by conduction and flux through outer faces
  double source_W = 0;
  double stored_W = 0;  ///< transient: rate of stored heat
  /// Advection through openings: outflow minus inflow, relative to the lowest prescribed temperature.
  double carried_out_W = 0;
  wall_heat walls;
  double in_K = 0, out_K = 0;  ///< mixing-cup temperatures of inflow and outflow; NaN: no inflow or outflow
  double mean_K = 0, mean_fluid_K = 0, mean_solid_K = 0, low_K = 0, high_K = 0;
  /// Excess of the temperature over the range permitted by the conditions (maximum principle). The excess is 0 if sources
  /// or fluxes remove the bound.
  double overshoot_K = 0;
  double cell_peclet_number = 0;  ///< highest value of velocity times voxel length times heat capacity over conductivity
  double limited_share = 0;       ///< fraction of faces with non-central interpolation among faces with flow
  /// Residual with the limiter weights of the solution. The solution itself uses the weights of the previous step.
  double limiter_residual = 0;
  /// reaction_imbalance is the imbalance of the heat through walls, openings and sources, relative to half of the sum of
  /// their magnitudes.
  solve_certificate certificate;
};

/// Check all conditions that do not depend on the velocities. @throws as solve_flow_temperature @collective on
/// problem.where.comm
void check_flow_temperature(const temperature_problem& problem);

/// Solve for the temperature. If the solver does not reach the tolerance, certificate.converged is false.
/// @param solver_options.tolerance limit of |r| relative to |r| of the uniform lowest given temperature, and of the heat
/// balance
/// @throws usage_error for conditions that contradict each other, or heat that cannot leave
/// @throws data_error for a material without conductivity @throws solve_error if a value is not finite
/// @collective on problem.where.comm: all ranks throw the same
temperature_solution solve_flow_temperature(const temperature_problem& problem, const options& solver_options,
                                            log_sink& log);

}  // namespace osteon::physics
