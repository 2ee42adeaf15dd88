#pragma once
/// @file
/// Plan of a failure analysis: laws of the materials and path of the displacements.
#include <osteon/kernel/elasticity/damage_law.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>
#include <vector>

namespace osteon::physics {

/// Laws and loading path. The displacements prescribed by `problem.fixed` correspond to the factor 1.
struct failure_plan {
  std::vector<kernel::yield_surface> surfaces;  ///< by material number; materials beyond stay elastic
  std::vector<kernel::damage_law> damage;       ///< instead of surfaces: voxels lose stiffness; none: plastic flow
  kernel::dilatation integration = kernel::dilatation::at_points;
  std::vector<double> turns{1};  ///< turning points of the path, in order, starting from 0
  int steps = 0;                 ///< steps to each turn; 0: adaptive, by convergence
  std::vector<double> stops;     ///< instead of steps: end of each step, turns included; none: by steps
  double load = 0;               ///< [N or N mm]: turns are multiples of it; 0: of the prescribed displacements
  int most_halvings = 6;         ///< maximum halvings of a step that does not converge
  double amount = 1;             ///< displacement [mm] or angle [rad] of the driven face at factor 1
};

/// @throws usage_error if the plan is invalid @collective local
void check_plan(const failure_plan& plan);

}  // namespace osteon::physics
