#pragma once
/// @file
/// The coupled system of flow between openings: conjugate gradients where it creeps, GCR inside steps of Picard and Newton
/// where there is inertia.
#include <memory>
#include <osteon/base/log_sink.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/krylov/gcr.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>
#include <osteon/physics/flow/solver/openings/momentum_limiter.hpp>
#include <osteon/physics/flow/solver/openings/transport_cycle.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

struct through_options;
struct through_flow;

/// Solves K x + C(x) x = b with given velocities in x. As in flow_solver, s = P (b - K x - C(x) x) is what becomes small,
/// against x in the same norm. Of creeping flow P is that of permeability. With inertia it is block triangular as well, with
/// a cycle for friction and convection, F, in place of that for friction, and for the pressure the least squares commutator
///   (G^T W G)^-1 (G^T W F W G) (G^T W G)^-1, with the mobility W for weights:
/// Darcy's law above the size of a pore, the identity below it, and both with convection. It is taken by halves with that
/// of permeability: alone it sees next to nothing of some pressures in corners, and GCR stands still.
/// @cite [Elman2006]: the commutator, without these weights
class through_solver {
 public:
  /// @param cells, problem kept by reference @collective on its communicator
  through_solver(const open_flow_cells& cells, const through_problem& problem);

  /// Start from nothing but the given velocities, or from the last answer times a factor.
  /// @param given values of x at faces whose velocity is given: place in the answer, value
  /// @param right entries of b: place, value @param reynolds of the units, 0: creeping flow
  void begin(const std::vector<std::pair<std::int64_t, double>>& given,
             const std::vector<std::pair<std::int64_t, double>>& right, double reynolds, double factor_of_last);
  /// Of a flow with inertia: from here on a solve is a step of implicit Euler from the answer as it then is.
  /// @param held density over the step, in units of friction; 0: steady
  void hold(double held) { held_ = held; }
  /// To be changed between solves; ghosts need not be current.
  std::vector<double>& answer_to_change() { return x_; }
  /// Sets the certificate and the history of the steps. @throws solve_error if a value is not finite @collective
  void solve(const through_options& how, through_flow& answer, log_sink& log);

  /// Shape (4, stride), in voxels: velocities, pressure; ghosts current. A pressure that nothing gives has the mean zero.
  const std::vector<double>& answer() const { return x_; }
  /// Null: the flow creeps.
  const flow_convection* inertia() const { return reynolds_ > 0 ? &convection_ : nullptr; }
  /// |b - K x - C(x) x|, of velocities and masses alike. @collective
  double residual() const;
  /// As in through_flow; changes the shares. @collective
  double limiter_residual();
  double upwinded_share() const { return reynolds_ > 0 ? convection_.upwinded_share() : 0; }

 private:
  enum class step_kind { picard, newton };
  struct creeping_system;
  struct linear_system;

  void multiply(std::vector<float>& of);
  void multiply(step_kind kind);
  void add_held(const float* p, float* v) const;
  void find_residual();
  void precondition(const float* r, float* z, float velocity_scale = 1);
  void precondition_with_inertia(const float* r, float* z);
  void linearise();
  void look_at_limits(double taken);
  template <class T>
  void remove_free_pressure(T* pressure) const;
  std::array<double, 2> squares(const std::vector<float>& v) const;
  double size(const std::vector<float>& v) const;
  double size_of_answer() const;
  double imbalance() const;
  // Of this rank.
  kernel_work work_of_creeping_iteration() const;
  kernel_work of_cells(const kernel_work& of_one) const;
  kernel_work work_of_product(step_kind kind) const;
  kernel_work work_of_preconditioning() const;
  kernel_work work_of_residual() const;
  kernel_work work_of_linearisation() const;
  kernel_work work_of_look() const;
  kernel_work work_of_iteration(step_kind kind, std::size_t kept) const;
  bool problem_is_limited() const { return limiter_ != nullptr; }
  comm::sent_part part(const char* name) const { return {cells_.grid.where.comm, name}; }
  void rehearse_rest(const through_options& how, through_flow& answer);
  bool settle_creeping(double tolerance, const through_options& how, through_flow& answer, log_sink& log);
  bool settle(double reynolds, double tolerance, int most, bool limits, const through_options& how, through_flow& answer,
              log_sink& log);
  bool reduce_s(step_kind kind, double to, const through_options& how, through_flow& answer, log_sink& log);
  template <std::size_t N>
  std::array<double, N> all_ranks(const std::array<double, N>& sums) const {
    return sum_of_ranks(cells_.grid.where.comm, sums);
  }

  const open_flow_cells& open_;
  const flow_cells& cells_;
  kernel::stokes_stencil<float> single_;
  kernel::stokes_stencil<double> double_;
  flow_preconditioner preconditioner_;
  flow_convection convection_;
  std::unique_ptr<momentum_limiter> limiter_;                     // null: the scheme has none
  std::vector<std::pair<std::size_t, std::int32_t>> open_faces_;  // axis, cell
  std::vector<std::pair<std::int64_t, double>> right_;
  std::size_t most_kept_ = 0;
  std::unique_ptr<transport_cycle> transport_;  // of a problem with inertia
  bool is_linearised_ = false;                  // no: creeping flow is preconditioned
  std::vector<float> pressure_, other_pressure_, weighed_, carried_;
  float velocity_scale_;  // of conjugate gradients
  double reynolds_ = 0, unit_ = 1, held_ = 0;
  kernel_work work_;               // of a solve with inertia, of this rank
  bool has_answer_ = false;        // x is the flow of other conditions
  double first_ = 0;               // |s| of the start
  std::vector<double> x_, exact_;  // the residual before it is rounded
  std::vector<double> held_from_;  // velocities a step before
  std::vector<float> change_, r_, s_, p_, v_, w_;
};

}  // namespace osteon::physics
