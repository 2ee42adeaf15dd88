#pragma once
/// @file
/// What a flow job asks of the solver, as a share of a creeping flow.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

constexpr solver_costs costs_of_flow{4, 50, 4, 2e-6, 8e-6};

solver_work flow_work(const spec& job, const voxel::node_count* nodes);

}  // namespace osteon::physics
