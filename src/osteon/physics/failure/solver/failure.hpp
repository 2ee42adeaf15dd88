#pragma once
/// @file
/// Nonlinear failure: voxels that yield while prescribed displacements grow, fall and grow again.
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
  double load = 0;     ///< of the driven face: work of the reactions over the amount [N or N mm]
  double work_mJ = 0;  ///< of the reactions so far, by the trapezoidal rule
  double stored_mJ = 0, dissipated_mJ = 0, hardening_mJ = 0;
  double yielded = 0, in_tension = 0, in_compression = 0;  ///< voxels with a point that yielded, share of all
  double broken = 0;                                       ///< voxels that have broken, share of all
  double residual = 0;                                     ///< |forces at free nodes| over |reactions|
  double violation = 0;                                    ///< largest stress beyond the yield stress, over it
  double corrections = 0, iterations = 0;                  ///< of Newton's method; of conjugate gradients
};
/// As numbers of a checkpoint.
inline constexpr std::size_t numbers_of_failure_record = sizeof(failure_record) / sizeof(double);

struct failure_certificate {
  double force_residual = 0;   ///< largest over the steps
  double yield_violation = 0;  ///< largest over the steps
  double work_error = 0;       ///< |work - stored - dissipated - hardening| over the work's largest part, at the end
  double smallest_dissipation_MPa = 0;  ///< of a Gauss point in a step; negative is an error
};

struct failure_solution {
  elasticity_solution state;          ///< displacements and reactions of the last state; its certificate is of all steps
  std::vector<failure_record> curve;  ///< from the unloaded state
  failure_certificate proof;
  double first_yield = 0;     ///< factor at which the first point yields; infinite: none can
  std::vector<double> turns;  ///< factors at which the legs of the path ended
  std::string ended;          ///< why the path was not walked to its end; empty: it was
  std::vector<float> plastic_strain, damage, dissipation_MPa;  ///< per active cell; empty: the law knows none
  std::int64_t state_bytes = 0;                                ///< of yielded voxels, all ranks
};

/// Hears of the elastic solution at factor 1, before anything yields.
using elastic_listener = std::function<void(elasticity_solution&&)>;

/// Walk the path. What does not converge is halved; where halving ends, or a load is not reached, the last good state is the
/// answer, and `ended` says where. A load is found by the displacement that it takes: so a limit of the load is found, too.
/// @throws data_error as elasticity_solver, usage_error if the plan makes no sense
/// @throws interrupted_error if how.checkpoints says so, between steps @collective on problem.where.comm
failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& how,
                               const elastic_listener& elastic, log_sink& log);

/// The same path in displacements, each step after the first yield in two halves.
/// @param walked the solution of the plan
failure_plan halved(const failure_plan& plan, const failure_solution& walked);

/// How far the loads of two walks differ at the places that both have, over the largest one.
double change_of_loads(std::span<const failure_record> coarse, std::span<const failure_record> fine);

}  // namespace osteon::physics
