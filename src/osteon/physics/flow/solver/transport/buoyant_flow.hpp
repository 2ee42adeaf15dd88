#pragma once
/// @file
/// Natural and mixed convection: coupled steady flow and steady temperature (Boussinesq approximation).
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

namespace osteon::physics {

struct buoyant_problem {
  through_problem flow;  ///< is_buoyant; one multiple
  /// Heat problem of the same image, with the openings of the same multiple; velocities of the heat problem are not used.
  temperature_problem heat;
  double expansion_per_K = 0;
  vector3 gravity_m_per_s2{};
  std::optional<double> reference_K;  ///< absent: mean of the extreme prescribed temperatures
};

/// One step towards the steady state.
struct buoyant_round {
  /// Root mean square change of the fluid temperature, relative to the range of the fluid temperature, times the estimated
  /// number of steps to the steady state.
  double change = 0;
  double flow_change = 0;  ///< initial residual of the flow relative to the solution, as in steady_history
};

struct buoyant_solution {
  through_solution flow;
  temperature_solution heat;
  double reference_K = 0;
  double prandtl_number = 0;
  /// Rayleigh number density expansion |gravity| dT L^3 / (viscosity diffusivity). dT is driving_K, and L is the height of
  /// the image along gravity.
  double rayleigh_number = 0;
  double driving_K = 0;  ///< temperature difference by driving_difference_K
  double height_mm = 0;
  index3 domain;                      ///< voxels of the image
  double density_change = 0;          ///< expansion times dT; Boussinesq's approximation requires a small value
  vector3 highest_velocity_mm_per_s;  ///< largest velocity magnitude through a face, across each axis
  /// Heat flow through each face of the image with the fluid at rest. Empty if fluid flows through openings.
  std::optional<std::array<std::array<double, 2>, 3>> rest_inflow_W;
  std::vector<buoyant_round> rounds;
  double change = 0;  ///< buoyant_round::change of the last step
  /// Growth rate of the fastest growing or slowest decaying disturbance of the solution; negative if all disturbances
  /// decay. The rate is empty without a stability test: no fluid is below lighter fluid, or the stratification is too weak
  /// for a flow.
  std::optional<double> growth_per_s;
  int unstable_states = 0;           ///< number of unstable steady states found before the solution
  bool has_no_stable_state = false;  ///< all steady states found are unstable: the solution is not converged
  bool is_unsettled = false;         ///< the time steps did not converge: a steady state may not exist
  double momentum_residual = 0;      ///< |b - K x - C(x) x| / |b| of the solution, with given velocities in b
};

/// @throws as check_flow_through and check_flow_temperature, usage_error for an invalid buoyancy @collective
void check_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow);

/// Solve by alternating implicit time steps of flow and temperature, until flow and temperature satisfy the steady
/// equations. A step takes about one oscillation period of the fluid (Brunt-Vaisala). Anderson mixing accelerates the
/// convergence. If fluid is below lighter fluid, the solver tests the stability of the state (test_stability). From an
/// unstable state, the steps follow the growing disturbance to another state. If no stable steady state is found,
/// flow.certificate.converged is false.
/// @param options_of_flow.tolerance limits the flow residual as in solve_flow_through, the change of a step, and
/// momentum_residual @param options_of_heat options for the last temperature @throws as solve_flow_through and
/// solve_flow_temperature
/// @collective on problem.flow.where.comm
buoyant_solution solve_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow,
                                    const options& options_of_heat, log_sink& log);

}  // namespace osteon::physics
