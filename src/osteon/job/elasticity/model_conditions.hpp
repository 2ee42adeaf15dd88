#pragma once
/// @file
/// Supports and forces of single nodes that stand in a model (voxel::model_header).
#include <osteon/job/elasticity/load_cases.hpp>

namespace osteon::job {

/// Add what the model says about its nodes: a support for each choice of held axes, and the forces.
/// @throws data_error if a force pulls at a node without solid @collective
void add_conditions(const node_sets& sets, load_case& to, log_sink& log);

}  // namespace osteon::job
