#pragma once
/// @file
/// Checks of the loads of an elasticity job on its solid, before the solve.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/elasticity/loads/node_sets.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/count_nodes.hpp>

namespace osteon::physics {

/// Create the load cases of a job other than a homogenisation, and check that the supports hold the whole solid.
/// @param read creates the model on one rank @throws data_error, usage_error
void check_loads_on_solid(const spec& job, const std::function<local_model()>& read, std::vector<problem>& warnings);

/// Warn of unused sets that contain no node. @collective
void warn_of_unused_sets(node_sets& sets, const spec& job, log_sink& log);

/// Number of displacements prescribed by a standard test on whole faces of the image. Other supports are neglected.
std::int64_t prescribed_by_test(const spec& job, const voxel::node_count& nodes, elastic_test test);

}  // namespace osteon::physics
