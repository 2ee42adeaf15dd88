#pragma once
/// @file
/// Conjugate heat transfer. The result is the steady temperature of a flowing fluid and of the solid around the fluid.
///
/// Each voxel has one temperature. All voxels conduct heat. As in the heat solver, fluxes are two-point fluxes, and
/// conductivities are averaged harmonically. The flow transports heat through the faces of fluid voxels. The units are mm,
/// s, K and W.
#include <optional>
#include <osteon/numerics/operators/heat_problem.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Interpolation of the transported temperature on a face.
enum class heat_convection {
  /// The interpolation is central if the Peclet number of a voxel is at most 2. Otherwise, the interpolation has the largest
  /// central fraction without oscillations.
  hybrid,
  /// The interpolation is hybrid. If van Leer's limiter permits a larger central fraction, this fraction is used. For smooth
  /// temperatures, the interpolation is of second order.
  limited,
  central  ///< of second order on all faces; may oscillate
};

/// Thermal condition on a part of an outer face of the image. This part is not an opening for the fluid.
struct heat_boundary {
  flow_boundary place;  ///< face, part of the face, and name; the other members are not used
  face_condition heat;
};

struct temperature_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;                   ///< voxels that have a temperature
  std::vector<material_number> material;  ///< material of each cell
  voxel::material_table materials;        ///< conductivities; values of used materials must be > 0
  std::vector<double> source_W_per_mm3;   ///< heat source per volume for each material; empty: no sources

  voxel::run_set fluid;  ///< cells of the flow, which are a subset of `cells`
  /// face velocities in the format of through_solution; empty: the fluid is at rest
  std::vector<double> face_velocity_mm_per_s;
  double heat_capacity_J_per_mm3K = 0;  ///< heat capacity of the fluid: density times specific heat, > 0
  heat_convection convection = heat_convection::limited;
  bool holds_at_rest = false;  ///< true: an opening without flow has its given temperature
  /// true: inflow without a given temperature is allowed; such inflow has the local temperature
  bool may_return = false;

  /// Uniform initial temperature of transient heat. With this member, prescribed temperatures and a heat sink are not
  /// required.
  std::optional<double> initial_K{};

  bool counts_messages = false;  ///< true: virtual ranks count the messages of each part once, and compute no solution

  std::vector<flow_boundary> openings;            ///< boundaries of the flow
  std::vector<std::optional<double>> incoming_K;  ///< temperature of the inflow through each opening
  std::vector<heat_boundary> conditions;          ///< conditions on other faces; faces without a condition are insulated
  bool conducts_through_openings = true;          ///< true: openings with inflow conduct heat; outflow has no condition
};

/// Heat through an opening.
struct opening_heat {
  /// mixing-cup temperature, which is the mean weighted by the flow through each voxel face; NaN: no flow
  double mixed_K = 0;
  double inflow_mm3_per_s = 0;  ///< inflow minus outflow
  double conducted_W = 0;       ///< heat that is conducted into the image, against or along the flow
};

/// Heat transfer between the fluid and its surroundings. The surroundings are the solid, and walls with a thermal condition.
struct wall_heat {
  double area_mm2 = 0;  ///< area of the conducting faces
  double heat_W = 0;    ///< heat flow into the fluid
  double mean_K = 0;    ///< mean temperature of the conducting faces
};

struct temperature_solution {
  std::vector<double> temperature_K;  ///< temperature of each cell
  std::vector<opening_heat> openings;
  std::vector<double> condition_W;                       ///< heat flow into the image for each condition
  std::array<std::array<double, 2>, 3> face_inflow_W{};  ///< heat flow through outer faces by conduction and by given fluxes
  double source_W = 0;
  double stored_W = 0;  ///< for transient heat: rate at which heat is stored
  /// Heat that the flow transports through openings. The value is outflow minus inflow, relative to the lowest prescribed
  /// temperature.
  double carried_out_W = 0;
  wall_heat walls;
  double in_K = 0, out_K = 0;  ///< mixing-cup temperatures of the inflow and of the outflow; NaN: no inflow or outflow
  double mean_K = 0, mean_fluid_K = 0, mean_solid_K = 0, low_K = 0, high_K = 0;
  /// Excess of the temperature over the range that the conditions permit (maximum principle). If sources or fluxes remove
  /// the bound, the excess is 0.
  double overshoot_K = 0;
  double cell_peclet_number = 0;  ///< highest value of velocity times voxel edge times heat capacity divided by conductivity
  double limited_share = 0;       ///< number of faces with non-central interpolation divided by number of faces with flow
  /// Residual with the weights that the limiter computes from the solution. The solution was computed with the weights of
  /// the previous step.
  double limiter_residual = 0;
  /// reaction_imbalance is the imbalance of the heat through walls, openings and sources. The reference is half of the sum
  /// of the magnitudes of this heat.
  solve_certificate certificate;
};

/// Check all conditions that do not depend on the velocities. @throws errors of solve_flow_temperature @collective on
/// problem.where.comm
void check_flow_temperature(const temperature_problem& problem);

/// Solve for the temperature. If the solver does not reach the tolerance, certificate.converged is false.
/// @param solver_options.tolerance limit of the heat balance, and of |r| relative to |r| of the uniform lowest given
/// temperature
/// @throws usage_error for contradictory conditions, or if heat cannot leave
/// @throws data_error for a material without conductivity @throws solve_error if a value is not finite
/// @collective on problem.where.comm; all ranks throw the same error
temperature_solution solve_flow_temperature(const temperature_problem& problem, const options& solver_options,
                                            log_sink& log);

}  // namespace osteon::physics
