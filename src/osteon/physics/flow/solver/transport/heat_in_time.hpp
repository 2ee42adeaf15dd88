#pragma once
/// @file
/// Transient conjugate heat transfer. The temperature of fluid and solid is computed in time steps together with the flow.
/// The temperature may drive the flow by buoyancy (Boussinesq approximation).
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
      /// heat capacity of each material, > 0 for used materials; the problem contains the heat capacity of the fluid
      heat_capacity_J_per_mm3K;
  double implicitness = 0.5;  ///< 1/2 is Crank-Nicolson, 1 is Euler
  double tolerance = 1e-6;    ///< limit of the residual and of the heat balance in each step
  int max_iterations = 500;   ///< maximum number of iterations per step
  /// Buoyancy. By default, reference_K is the mean of the lowest and the highest prescribed temperature. Without a
  /// prescribed pressure, the default of reference_K is the initial temperature.
  struct gravity {
    double expansion_per_K = 0;
    vector3 m_per_s2{};
    std::optional<double> reference_K{};
  };
  std::optional<gravity> weight{};
};

struct heat_in_flow_record {
  double time_s = 0;
  /// Temperatures at this time. The member temperature_K is not set. Heat through faces and openings, and stored heat, are
  /// those of the last step. During the first steps, these values are those of the last half-step. At time 0, these values
  /// are undefined.
  temperature_solution heat;
  double fluid_low_K = 0, fluid_high_K = 0;
  double worst_imbalance = 0;   ///< largest heat_imbalance of all steps
  std::int64_t iterations = 0;  ///< total number of iterations in all steps
};

/// Each step from t to t + dt uses the implicit midpoint rule with the implicitness w:
///   C / (w dt) (Tm - T) + K(u) Tm = b,   T+ = T + (Tm - T) / w,
/// K is the operator of transport_cells. The velocities u at the fraction w of the step are interpolated between the two
/// ends of the step. A projection of u conserves mass to rounding. The method is of second order for w = 1/2. The error of
/// the heat balance is at most the tolerance of each step. The limiter uses a temperature that is extrapolated from the last
/// step. Each of the first two steps consists of two half-steps of implicit Euler [Rannacher1984].
///
/// The buoyancy in a step uses the temperature at the midpoint of the step. A parabola through the last three temperatures
/// extrapolates this temperature. N is the Brunt-Vaisala frequency. Linear extrapolation would increase the amplitude of
/// internal waves by (N dt)^4 / 8 per step. The parabola reduces the amplitude by 5 / 4 of (N dt)^4 / 8 per step. The length
/// of a step is limited such that N dt is at most 1/2 for any layer of one voxel.
class heat_in_time final : public carried_quantity {
 public:
  /// @param problem problem with initial_K and without velocities; problem, flow and log are borrowed
  /// @throws errors of check_heat_in_time @collective
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
  /// Present temperature of each cell of the problem.
  std::vector<double> temperature_K() const;
  /// Number of iterations, largest residual and largest imbalance over all steps.
  const solve_certificate& certificate() const { return certificate_; }
  /// Largest fraction of the inflow without a given temperature over all steps.
  double returned_share() const { return returned_share_; }
  /// Values with buoyancy. The members are those of buoyant_solution. @collective
  struct weight_numbers {
    double reference_K = 0, prandtl_number = 0, rayleigh_number = 0, driving_K = 0, density_change = 0;
    vector3 highest_velocity_mm_per_s;
  };
  weight_numbers numbers_of_weight() const;
  /// Steady heat flow through each face of the image when the fluid is at rest. The result is empty for flow through
  /// openings, heat sources or fluxes.
  const std::optional<std::array<std::array<double, 2>, 3>>& rest_inflow_W() const { return rest_inflow_W_; }

  /// The complete state that the next step needs. The state consists of vectors over the cells of the problem, and of
  /// numbers.
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
  const open_flow_cells* open_ = nullptr;  // valid only during the solution of the flow
  std::size_t moving_ = 0;                 // number of owned cells of the flow
  flow_units units_;
  transport_cells cells_;
  std::unique_ptr<pressure_projection> projection_;
  std::optional<transport_solver> solver_;
  double of_cycle_ = -1;  // inverse of the step length for which the multigrid cycle was set up
  buoyancy weight_;
  // vectors over the owned cells, relative to the reference temperature of the cells; rate_ is in K/s
  std::vector<double> t_, rate_, before_, before_that_;
  std::vector<double> middle_;                // temperature at the midpoint of the last step, shape (grid.size)
  std::vector<double> last_, after_, taken_;  // projected velocities at the start and at the end of the step
  std::array<double, 2> steps_s_{};           // lengths of the last step and of the previous step
  std::int64_t steps_ = 0;
  double change_per_s_ = 0, returned_share_ = 0, range_K_ = 0, heating_K_per_s_ = 0;
  std::optional<std::array<std::array<double, 2>, 3>> rest_inflow_W_;
  solve_certificate certificate_;
  std::vector<heat_in_flow_record> history_;
};

/// Check the input of heat_in_time. @throws usage_error @collective on problem.where.comm
void check_heat_in_time(const temperature_problem& problem, const heat_time_plan& plan);

/// Saves a temperature together with the state of the flow. Vectors of the flow have values in moving voxels. Vectors of the
/// temperature have values in fluid and solid voxels. Saved vectors have values in all voxels. Absent values are zero.
class heat_checkpointer final : public checkpointer {
 public:
  /// The object borrows the arguments.
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
