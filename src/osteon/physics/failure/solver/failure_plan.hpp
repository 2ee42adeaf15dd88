#pragma once
/// @file
/// What yields in a specimen, and where it is driven to.
#include <osteon/kernel/elasticity/damage_law.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>
#include <vector>

namespace osteon::physics {

/// What yields, and where the displacements go. Those that `problem.fixed` prescribes are of the factor 1.
struct failure_plan {
  std::vector<kernel::yield_surface> surfaces;  ///< by material number; those beyond stay elastic
  std::vector<kernel::damage_law> damage;       ///< instead of surfaces: voxels lose stiffness; none: they flow
  kernel::dilatation integration = kernel::dilatation::at_points;
  std::vector<double> turns{1};  ///< places that the path goes to, one after the other, from 0
  int steps = 0;                 ///< on the way to each turn; 0: as long as they converge well
  std::vector<double> stops;     ///< instead of steps: where each ends, turns included; none: by steps
  double load = 0;               ///< [N or N mm]: turns are multiples of it; 0: of the prescribed displacements
  int most_halvings = 6;         ///< of a step that does not converge
  double amount = 1;             ///< displacement [mm] or angle [rad] of the driven face at factor 1
};

/// @throws usage_error if the plan makes no sense @collective local
void check_plan(const failure_plan& plan);

}  // namespace osteon::physics
