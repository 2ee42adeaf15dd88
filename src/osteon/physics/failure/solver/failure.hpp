#pragma once
/// @file
/// Nonlinear analysis of failure. Voxels yield or are damaged along a loading path.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/failure/solver/failure_plan.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::physics {

/// The equilibrium after a load step.
struct failure_record {
  double factor = 0;
  /// reaction of the driven face, which is the work of the reactions divided by failure_plan::amount [N or N mm]
  double load = 0;
  double work_mJ = 0;  ///< total work of the reactions (trapezoidal rule)
  double stored_mJ = 0, dissipated_mJ = 0, hardening_mJ = 0;
  double yielded = 0, in_tension = 0, in_compression = 0;  ///< fractions of voxels with at least one yielded point
  double broken = 0;                                       ///< fraction of broken voxels
  double residual = 0;                     ///< norm of the forces at free nodes divided by the norm of the reactions
  double violation = 0;                    ///< largest relative excess of the stress over the yield stress
  double corrections = 0, iterations = 0;  ///< number of Newton corrections, and number of iterations of conjugate gradients
};
/// Number of values of a record in a checkpoint.
inline constexpr std::size_t numbers_of_failure_record = sizeof(failure_record) / sizeof(double);

struct failure_certificate {
  double force_residual = 0;            ///< maximum over the steps
  double yield_violation = 0;           ///< maximum over the steps
  double work_error = 0;                ///< |work - stored - dissipated - hardening| at the end, over the largest work
  double smallest_dissipation_MPa = 0;  ///< minimum over Gauss points and steps; the value must not be negative
};

struct failure_solution {
  elasticity_solution state;          ///< final displacements and reactions; the certificate covers all steps
  std::vector<failure_record> curve;  ///< records of the equilibria, starting with the unloaded state
  failure_certificate proof;
  /// load factor at the first yield; infinite if no material yields
  double first_yield = 0;
  std::vector<double> turns;  ///< load factors at the turning points of the path
  /// values of each active cell; empty: the law does not define the quantity
  std::string ended;
  std::vector<float> plastic_strain, damage, dissipation_MPa;  ///< memory of the states of voxels on all ranks
  std::int64_t state_bytes = 0;                                ///< memory of the voxel states, all ranks
};

/// Receives the elastic solution for the load factor 1.
using elastic_listener = std::function<void(elasticity_solution&&)>;

/// Solve the equilibria along the loading path. If a step does not converge, the solver halves the step. If this halving
/// fails, or if the solver does not reach a prescribed load, the result is the last equilibrium. `ended` then contains the
/// reason. The solver reaches prescribed loads by displacement control.
/// @throws data_error in the cases of elasticity_solver; usage_error if the plan is invalid
/// @throws interrupted_error between steps if options.checkpoints requests an interruption @collective on problem.where.comm
failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& options,
                               const elastic_listener& elastic, log_sink& log);

/// Return a plan in displacements that has the path of a solution. After the first yield, the steps are halved.
/// @param solution solution of the plan
failure_plan halved(const failure_plan& plan, const failure_solution& solution);

/// Largest difference between the loads of two solutions at common load factors, relative to the largest load.
double change_of_loads(std::span<const failure_record> coarse, std::span<const failure_record> fine);

}  // namespace osteon::physics
