#pragma once
/// @file
/// Checks of the loads of a job: faults of keys, warnings of unusual values, and checks on the solid.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/node_sets.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/count_nodes.hpp>
#include <vector>

namespace osteon::physics {

/// Check [load], [[set]], [[support]], [[force]] and [[case]] of a job. Append the faults to `problems`.
void check_loads(const spec& job, std::vector<problem>& problems);

/// Check that output.fields has no duplicates. Append the faults to `problems`.
void check_field_names(const spec& job, std::vector<problem>& problems);

/// Warn of strains and angles beyond linear elasticity, and of Poisson's ratios that cause locking.
/// @param size_mm size of the image, for warnings of displacements; null: all other warnings
void warn_of_loads(const spec& job, const vector3* size_mm, std::vector<problem>& warnings);

/// Create the load cases of a job other than a homogenisation, and check that the supports prevent all rigid motions of
/// the solid.
/// @param read creates the model on one rank @throws data_error, usage_error
void check_loads_on_solid(const spec& job, const std::function<local_model()>& read, std::vector<problem>& warnings);

/// Warn of unused sets that contain no node. @collective
void warn_of_unused_sets(node_sets& sets, const spec& job, log_sink& log);

/// Number of displacements prescribed by a standard test on whole faces of the image. The number excludes other supports.
std::int64_t prescribed_by_test(const spec& job, const voxel::node_count& nodes, elastic_test test);

}  // namespace osteon::physics
