#pragma once
/// @file
/// Transient conjugate heat transfer: the temperature of fluid and solid in time steps with the advecting flow. The
/// temperature can drive the flow by buoyancy (Boussinesq approximation).
#include <memory>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/solver/transient/carried_quantity.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/transport_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

struct heat_time_plan {
  std::vector<double>
      heat_capacity_J_per_mm3K;  ///< by material, > 0 if in use; the problem contains the heat capacity of the fluid
  double implicitness = 0.5;     ///< 1/2 is Crank-Nicolson, 1 Euler
  double tolerance = 1e-6;       ///< limit of the residual and of the heat balance of a step
  int max_iterations = 500;      ///< iterations per step
  /// Buoyancy. The default of reference_K is the mean of the extreme prescribed temperatures. Without a prescribed
  /// pressure, the default is the initial temperature.
  struct gravity {
    double expansion_per_K = 0;
    vector3 m_per_s2{};
    std::optional<double> reference_K{};
  };
  std::optional<gravity> weight{};
};

struct heat_in_flow_record {
  double time_s = 0;
  /// Temperatures at this time, without temperature_K. Heat through faces and openings, and stored heat, refer to the last
  /// step. For the first steps, heat refers to the last half-step. Heat is undefined at time 0.
  temperature_solution heat;
  double fluid_low_K = 0, fluid_high_K = 0;
  double worst_imbalance = 0;   ///< largest heat_imbalance of all steps
  std::int64_t iterations = 0;  ///< iterations of all steps
};

/// Each step from t to t + dt uses the implicit midpoint rule with the implicitness w,
///   C / (w dt) (Tm - T) + K(u) Tm = b,   T+ = T + (Tm - T) / w,
/// with K of transport_cells. The velocities u at the fraction w of the step are interpolated between the two ends of the
/// step and projected to conserve mass to rounding. The method is of second order for w = 1/2. Heat is conserved to the
/// tolerance of each step. The limiter uses the temperature extrapolated from the last step. Each of the first two steps
/// consists of two implicit Euler half-steps [Rannacher1984].
///
/// The buoyancy of a step uses the temperature at the midpoint of the step, extrapolated by a parabola through the last
/// three temperatures. N is the Brunt-Vaisala frequency. Linear extrapolation would increase the amplitude of internal
/// waves by (N dt)^4 / 8 per step. The parabola reduces the amplitude by 5 / 4 of this amount. The step length is limited:
/// N dt is at most 1/2 for any layer of a voxel.
class heat_in_time final : public carried_quantity {
 public:
  /// @param problem problem with initial_K, without velocities; problem, flow and log are stored by reference
  /// @throws as check_heat_in_time @collective
  heat_in_time(const temperature_problem& problem, const through_problem& flow, heat_time_plan plan, log_sink& log);
  ~heat_in_time() override;

  void begin(const open_flow_cells& open, flow_units& units) override;
  void start(const std::vector<double>& x) override;
  flow_entries force(double step_s) const override;
  double longest_step_s() const override;
  bool step(const std::vector<double>& x, double step_s) override;
  double change_per_s() const override { return change_per_s_; }
  void record(double time_s) override;

  const std::vector<heat_in_flow_record>& history() const { return history_; }
  /// Present temperature, per cell of the problem.
  std::vector<double> temperature_K() const;
  /// Iterations, largest residual and largest imbalance over all steps.
  const solve_certificate& certificate() const { return certificate_; }
  /// Largest fraction of the inflow without a given temperature, over all steps.
  double returned_share() const { return returned_share_; }
  /// With buoyancy, as in buoyant_solution. @collective
  struct weight_numbers {
    double reference_K = 0, prandtl_number = 0, rayleigh_number = 0, driving_K = 0, density_change = 0;
    vector3 highest_velocity_mm_per_s;
  };
  weight_numbers numbers_of_weight() const;
  /// Steady heat flow through each face of the image with the fluid at rest. Empty for flow through openings, heat sources
  /// or fluxes.
  const std::optional<std::array<std::array<double, 2>, 3>>& rest_inflow_W() const { return rest_inflow_W_; }

  /// The complete state for the next step: vectors over the cells of the problem, and numbers.
  struct state {
    std::vector<std::pair<std::string, std::vector<double>*>> vectors;
    std::map<std::string, std::vector<double>> numbers;
  };
  state saved();
  void restored(const std::map<std::string, std::vector<double>>& numbers);
  const temperature_problem& problem() const { return problem_; }

 private:
  bool part(double step_s, double implicitness, double share);
  void find_velocities(double share);
  void find_range();
  void find_rest();
  std::vector<double> with_ghosts(const std::vector<double>& owned) const;

  temperature_problem problem_;
  const through_problem& flow_;
  heat_time_plan plan_;
  log_sink& log_;
  const open_flow_cells* open_ = nullptr;  // valid during the solution of the flow
  std::size_t moving_ = 0;                 // number of owned cells of the flow
  flow_units units_;
  transport_cells cells_;
  std::unique_ptr<pressure_projection> projection_;
  std::optional<transport_solver> solver_;
  double of_cycle_ = -1;  // inverse step length of the multigrid cycle
  buoyancy weight_;
  std::vector<double> t_, rate_, before_, before_that_;  // owned cells, relative to the reference of the cells; rate_ in K/s
  std::vector<double> middle_;                           // shape (grid.size): midpoint temperature of the last step
  std::vector<double> last_, after_, taken_;             // projected velocities at the start and at the end of the step
  std::array<double, 2> steps_s_{};                      // lengths of the last step and of the previous step
  std::int64_t steps_ = 0;
  double change_per_s_ = 0, returned_share_ = 0, range_K_ = 0, heating_K_per_s_ = 0;
  std::optional<std::array<std::array<double, 2>, 3>> rest_inflow_W_;
  solve_certificate certificate_;
  std::vector<heat_in_flow_record> history_;
};

/// Validation for heat_in_time. @throws usage_error @collective on problem.where.comm
void check_heat_in_time(const temperature_problem& problem, const heat_time_plan& plan);

/// Saves a temperature together with the state of the advecting flow. Vectors of the flow have values at moving voxels,
/// vectors of the temperature at fluid and solid voxels. Saved vectors have values at all voxels, with zeros for absent
/// values.
class heat_checkpointer final : public checkpointer {
 public:
  /// Stores references to the arguments.
  heat_checkpointer(checkpointer& checkpoints, heat_in_time& heat) : checkpoints_(checkpoints), heat_(heat) {}
  found begin() override { return checkpoints_.begin(); }
  void restore(solver_state& state) override;
  bool is_due(std::int64_t done) override { return checkpoints_.is_due(done); }
  void pass() override { checkpoints_.pass(); }
  void save(const solver_state& state) override;
  void finish(const solver_state& state) override;

 private:
  struct joined;
  checkpointer& checkpoints_;
  heat_in_time& heat_;
};

}  // namespace osteon::physics
