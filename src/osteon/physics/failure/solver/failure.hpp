#pragma once
/// @file
/// Nonlinear failure: voxels yield while prescribed displacements increase, decrease and increase again.
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

/// The state of equilibrium after a step.
struct failure_record {
  double factor = 0;
  double load = 0;     ///< reaction of the driven face: work of the reactions divided by the amount [N or N mm]
  double work_mJ = 0;  ///< work of the reactions so far, by the trapezoidal rule
  double stored_mJ = 0, dissipated_mJ = 0, hardening_mJ = 0;
  double yielded = 0, in_tension = 0, in_compression = 0;  ///< share of voxels with a yielded point
  double broken = 0;                                       ///< share of broken voxels
  double residual = 0;                                     ///< |forces at free nodes| over |reactions|
  double violation = 0;                                    ///< largest stress beyond the yield stress, divided by it
  double corrections = 0, iterations = 0;                  ///< iterations of Newton's method; of conjugate gradients
};
/// The record as numbers of a checkpoint.
inline constexpr std::size_t numbers_of_failure_record = sizeof(failure_record) / sizeof(double);

struct failure_certificate {
  double force_residual = 0;   ///< largest over the steps
  double yield_violation = 0;  ///< largest over the steps
  double work_error = 0;  ///< |work - stored - dissipated - hardening| divided by the largest term of the work, at the end
  double smallest_dissipation_MPa = 0;  ///< dissipation of a Gauss point in a step; a negative value is an error
};

struct failure_solution {
  elasticity_solution state;          ///< displacements and reactions of the last state; its certificate covers all steps
  std::vector<failure_record> curve;  ///< from the unloaded state
  failure_certificate proof;
  double first_yield = 0;     ///< factor at which the first point yields; infinite: no material yields
  std::vector<double> turns;  ///< factors at the ends of the legs of the path
  std::string ended;          ///< reason for an incomplete path; empty: complete
  std::vector<float> plastic_strain, damage, dissipation_MPa;  ///< per active cell; empty: not defined by the law
  std::int64_t state_bytes = 0;                                ///< memory of yielded voxels, all ranks
};

/// Receives the elastic solution at factor 1, before any voxel yields.
using elastic_listener = std::function<void(elasticity_solution&&)>;

/// Follow the path. Steps that do not converge are halved; if halving fails, or a load is not reached, the last converged
/// state is the result, and `ended` states the place. A load is reached by controlling displacements, so a limit load is
/// also found.
/// @throws data_error as elasticity_solver, usage_error if the plan is invalid
/// @throws interrupted_error if how.checkpoints requests it, between steps @collective on problem.where.comm
failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& how,
                               const elastic_listener& elastic, log_sink& log);

/// The same path in displacements, each step after the first yield in two halves.
/// @param walked the solution of the plan
failure_plan halved(const failure_plan& plan, const failure_solution& walked);

/// Difference of the loads of two walks at their common places, divided by the largest load.
double change_of_loads(std::span<const failure_record> coarse, std::span<const failure_record> fine);

}  // namespace osteon::physics
