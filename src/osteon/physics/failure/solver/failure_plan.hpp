#pragma once
/// @file
/// Plan of a failure analysis. The plan consists of material laws and a loading path.
#include <osteon/kernel/elasticity/damage_law.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>
#include <vector>

namespace osteon::physics {

/// Material laws and loading path. The displacements that `problem.fixed` prescribes correspond to the load factor 1.
struct failure_plan {
  /// yield surface of each material number; materials without a surface are elastic
  std::vector<kernel::yield_surface> surfaces;
  std::vector<kernel::damage_law> damage;  ///< damage laws instead of yield surfaces; empty: plastic flow
  kernel::dilatation integration = kernel::dilatation::at_points;
  std::vector<double> turns{1};  ///< turning points of the path; the path starts at 0
  int steps = 0;                 ///< number of steps to each turning point; 0: adaptive
  std::vector<double> stops;     ///< end of each step, including turning points; empty: `steps` determines the ends
  double load = 0;               ///< [N or N mm] unit of the turning points; 0: the unit is the prescribed displacement
  int most_halvings = 6;         ///< maximum number of halvings of a step that does not converge
  double amount = 1;             ///< displacement [mm] or angle [rad] of the driven face at the load factor 1
};

/// @throws usage_error if the plan is invalid @collective local
void check_plan(const failure_plan& plan);

}  // namespace osteon::physics
