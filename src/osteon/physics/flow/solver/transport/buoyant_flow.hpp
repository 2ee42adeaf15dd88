#pragma once
/// @file
/// Natural and mixed convection: coupled steady flow and steady temperature (Boussinesq approximation).
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

namespace osteon::physics {

struct buoyant_problem {
  through_problem flow;  ///< flow with is_buoyant and one multiple
  /// Heat problem of the same image, with openings for the same multiple. The velocities in this problem are not used.
  temperature_problem heat;
  double expansion_per_K = 0;
  vector3 gravity_m_per_s2{};
  std::optional<double> reference_K;  ///< absent: mean of the lowest and the highest prescribed temperature
};

/// One step towards the steady state.
struct buoyant_round {
  /// Root mean square change of the fluid temperature, relative to the range of this temperature, times the estimated number
  /// of steps to the steady state.
  double change = 0;
  double flow_change = 0;  ///< initial residual of the flow relative to the solution, in the measure of steady_history
};

struct buoyant_solution {
  through_solution flow;
  temperature_solution heat;
  double reference_K = 0;
  double prandtl_number = 0;
  /// Rayleigh number: density expansion |gravity| dT L^3 / (viscosity diffusivity). dT is driving_K, and L is the height of
  /// the image along gravity.
  double rayleigh_number = 0;
  double driving_K = 0;  ///< temperature difference of driving_difference_K
  double height_mm = 0;
  index3 domain;                      ///< shape of the image in voxels
  double density_change = 0;          ///< expansion times dT; the Boussinesq approximation requires a small value
  vector3 highest_velocity_mm_per_s;  ///< largest magnitude of the velocity through a face, for each axis normal to the face
  /// Heat flow through each face of the image when the fluid is at rest. If fluid flows through openings, this member is
  /// empty.
  std::optional<std::array<std::array<double, 2>, 3>> rest_inflow_W;
  std::vector<buoyant_round> rounds;
  double change = 0;  ///< buoyant_round::change in the last step
  /// Growth rate of a disturbance of the solution. The disturbance grows fastest or decays slowest of all disturbances. If
  /// all disturbances decay, the rate is negative. Without a stability test, the rate is empty. In this case, no fluid is
  /// below lighter fluid, or the stratification is too weak for a flow.
  std::optional<double> growth_per_s;
  int unstable_states = 0;  ///< number of unstable steady states that were found before the solution
  /// true if all steady states that were found are unstable; the solution is then not converged
  bool has_no_stable_state = false;
  bool is_unsettled = false;     ///< true if the time steps have not converged; a steady state may not exist
  double momentum_residual = 0;  ///< |b - K x - C(x) x| / |b| of the solution, with given velocities in b
};

/// @throws errors of check_flow_through and check_flow_temperature; usage_error for an invalid buoyancy @collective
void check_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow);

/// Solve by alternating implicit time steps of flow and temperature, until flow and temperature satisfy the steady
/// equations. The length of a step is about one period of the oscillation of the fluid (Brunt-Vaisala). Anderson mixing
/// accelerates the convergence. If fluid is below lighter fluid, the solver tests the stability of the state
/// (test_stability). If the state is unstable, the steps follow the growing disturbance to another state. If the solver
/// finds no stable steady state, flow.certificate.converged is false.
/// @param options_of_flow.tolerance limit of the residual of the flow as in solve_flow_through, of the change in a step, and
/// of momentum_residual @param options_of_heat options for the last temperature @throws errors of solve_flow_through and
/// solve_flow_temperature
/// @collective on problem.flow.where.comm
buoyant_solution solve_buoyant_flow(const buoyant_problem& problem, const through_options& options_of_flow,
                                    const options& options_of_heat, log_sink& log);

}  // namespace osteon::physics
