#pragma once
/// @file
/// Nonlinear failure: voxels that yield while prescribed displacements grow, fall and grow again.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>
#include <osteon/solve/certificate.hpp>
#include <osteon/solve/elasticity/elasticity.hpp>
#include <osteon/solve/operators/elasticity_problem.hpp>
#include <osteon/solve/solver_options.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::solve {

/// What yields, and where the displacements go. Those that `problem.fixed` prescribes are of the factor 1.
struct failure_plan {
  std::vector<kernel::yield_surface> surfaces;  ///< by material number; those beyond stay elastic
  kernel::dilatation integration = kernel::dilatation::at_points;
  std::vector<double> turns{1};  ///< factors that the path goes to, one after the other, from 0
  int steps = 0;                 ///< on the way to each turn; 0: as long as they converge well
  int most_halvings = 6;         ///< of a step that does not converge
  double amount = 1;             ///< displacement [mm] or angle [rad] of the driven face at factor 1
};

/// The state of equilibrium after a step.
struct failure_record {
  double factor = 0;
  double load = 0;     ///< of the driven face: work of the reactions over the amount [N or N mm]
  double work_mJ = 0;  ///< of the reactions so far, by the trapezoidal rule
  double stored_mJ = 0, dissipated_mJ = 0, hardening_mJ = 0;
  double yielded = 0, in_tension = 0, in_compression = 0;  ///< voxels with a point that yielded, share of all
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
  double first_yield = 0;                              ///< factor at which the first point yields; infinite: none can
  std::string ended;                                   ///< why the path was not walked to its end; empty: it was
  std::vector<float> plastic_strain, dissipation_MPa;  ///< per active cell
  std::int64_t state_bytes = 0;                        ///< of yielded voxels, all ranks
};

/// Hears of the elastic solution at factor 1, before anything yields.
using elastic_listener = std::function<void(elasticity_solution&&)>;

/// Walk the path. What does not converge is halved; where halving ends, the last good state is the answer, and
/// `ended` says where.
/// @throws data_error as elasticity_solver, usage_error if the plan makes no sense
/// @throws interrupted_error if how.checkpoints says so, between steps @collective on problem.where.comm
failure_solution solve_failure(const elasticity_problem& problem, const failure_plan& plan, const options& how,
                               const elastic_listener& elastic, log_sink& log);

}  // namespace osteon::solve
