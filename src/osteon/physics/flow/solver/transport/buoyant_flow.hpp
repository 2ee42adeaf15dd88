#pragma once
/// @file
/// Natural and mixed convection: coupled steady flow and steady temperature (Boussinesq approximation).
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

namespace osteon::physics {

struct buoyant_problem {
  through_problem flow;      ///< is_buoyant; one multiple
  temperature_problem heat;  ///< same image, with openings of the same multiple; its velocities are not used
  double expansion_per_K = 0;
  vector3 gravity_m_per_s2{};
  std::optional<double> reference_K;  ///< absent: mean of the extreme prescribed temperatures
};

/// One step towards the steady state.
struct buoyant_round {
  /// Change of the fluid temperature: root mean square relative to its range, times the estimated number of steps to the
  /// steady state.
  double change = 0;
  double flow_change = 0;  ///< initial residual of the flow relative to the solution, as in steady_history
};

struct buoyant_solution {
  through_solution flow;
  temperature_solution heat;
  double reference_K = 0;
  double prandtl_number = 0;
  /// density expansion |gravity| dT L^3 / (viscosity diffusivity): dT is driving_K, L the height of the image along gravity.
  double rayleigh_number = 0;
  double driving_K = 0;  ///< of driving_difference_K
  double height_mm = 0;
  index3 domain;                      ///< voxels of the image
  double density_change = 0;          ///< expansion times dT: must be small for Boussinesq's approximation
  vector3 highest_velocity_mm_per_s;  ///< flow rate through any face across each axis, unsigned
  /// Heat through each face of the image and in total with the fluid at rest; empty if fluid flows through openings.
  std::optional<std::array<std::array<double, 2>, 3>> rest_inflow_W;
  std::vector<buoyant_round> rounds;
  double change = 0;  ///< change in the last round
  /// Growth rate of the fastest growing or slowest decaying disturbance of the solution, negative if all decay; empty: not
  /// tested, as no fluid is below lighter fluid, or the stratification is too weak for a flow.
  std::optional<double> growth_per_s;
  int unstable_states = 0;           ///< number of unstable steady states found before the solution
  bool has_no_stable_state = false;  ///< all steady states found are unstable: the solution is not converged
  bool is_unsettled = false;         ///< the time steps did not converge: a steady state may not exist
  double momentum_residual = 0;      ///< |b - K x - C(x) x| divided by |b|, given velocities in b, of the solution
};

/// @throws as check_flow_through and check_flow_temperature, usage_error for an invalid buoyancy @collective
void check_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow);

/// Alternating implicit time steps of flow and temperature, of about one oscillation of the fluid (Brunt-Vaisala),
/// accelerated by Anderson mixing until flow and temperature satisfy the steady equations. If fluid is below lighter fluid,
/// the stability of the state is tested (test_stability); from an unstable state the steps follow the growing disturbance to
/// another state. If no stable steady state is found, flow.certificate.converged is false.
/// @param options_of_flow.tolerance of the flow, as in solve_flow_through, of the change of a step, and of the
/// momentum_residual @param options_of_heat of the last temperature @throws as solve_flow_through and solve_flow_temperature
/// @collective on problem.flow.where.comm
buoyant_solution solve_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow,
                                    const options& options_of_heat, log_sink& log);

}  // namespace osteon::physics
