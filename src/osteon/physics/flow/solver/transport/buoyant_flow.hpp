#pragma once
/// @file
/// Natural and mixed convection: a steady flow and a steady temperature that drive each other (Boussinesq).
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

namespace osteon::physics {

struct buoyant_problem {
  through_problem flow;      ///< is_buoyant; one multiple
  temperature_problem heat;  ///< of the same image, its openings at that multiple; its velocities are not read
  double expansion_per_K = 0;
  vector3 gravity_m_per_s2{};
  std::optional<double> reference_K;  ///< absent: the middle of the given temperatures
};

/// One step towards the steady state.
struct buoyant_round {
  /// Of the temperature of the fluid, root of the mean square, of its range; times what the steady state is away in steps.
  double change = 0;
  double flow_change = 0;  ///< what the flow asks for at its start, of the answer, as in steady_history
};

struct buoyant_solution {
  through_solution flow;
  temperature_solution heat;
  double reference_K = 0;
  double prandtl_number = 0;
  /// density expansion |gravity| dT L^3 / (viscosity diffusivity): dT is driving_K, L the height of the image along gravity.
  double rayleigh_number = 0;
  double driving_K = 0;  ///< see driving_difference_K
  double height_mm = 0;
  index3 domain;                      ///< voxels of the image
  double density_change = 0;          ///< expansion times dT: Boussinesq's approximation supposes that it is small
  vector3 highest_velocity_mm_per_s;  ///< of any face across each axis, without its sign
  /// Through each face of the image and through all, with the fluid at rest; none where openings let fluid pass.
  std::optional<std::array<std::array<double, 2>, 3>> rest_inflow_W;
  std::vector<buoyant_round> rounds;
  double change = 0;  ///< of the last round
  /// Of the fastest growing or slowest decaying disturbance of the answer, below 0 where all decay; none: it was not tested,
  /// as no fluid lies below lighter fluid, or too weakly so for a flow to arise.
  std::optional<double> growth_per_s;
  int unstable_states = 0;           ///< steady states that were found and left before the answer
  bool has_no_stable_state = false;  ///< all that were found are unstable: the answer is not converged
  bool is_unsettled = false;         ///< the steps in time keep changing the state: it may have no steady one
  double momentum_residual = 0;      ///< |b - K x - C(x) x| over |b|, given velocities in b, of the answer
};

/// @throws as check_flow_through and check_flow_temperature, usage_error for a weight that is none @collective
void check_buoyant_flow(const buoyant_problem& problem, const through_options& how);

/// Implicit steps in time of flow and temperature in turns, of about a swing of the fluid (Brunt-Vaisala), which Anderson's
/// mixing takes to the steady state, until the steady equations of both are satisfied. Where fluid lies below lighter fluid
/// the stability of the state is tested (test_stability); from an unstable state the steps follow the disturbance that grows
/// to another. Not settling, or no stable state, is no error: then flow.certificate.converged is false.
/// @param how.tolerance of the flow, as in solve_flow_through, of the change of a step, and of the momentum_residual @param
/// heat_how of the last temperature @throws as solve_flow_through and solve_flow_temperature @collective on
/// problem.flow.where.comm
buoyant_solution solve_buoyant_flow(const buoyant_problem& problem, const through_options& how, const options& heat_how,
                                    log_sink& log);

}  // namespace osteon::physics
