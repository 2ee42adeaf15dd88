#pragma once
/// @file
/// The stage of a flow job.
#include <osteon/job/physics_result.hpp>
#include <osteon/solve/flow/permeability.hpp>

namespace osteon::job {

/// `permeability`, `permeability_tensor`, `dispersion` or `flow`.
std::string flow_test(const spec& job);

/// Of the tests of permeability. All active voxels are the fluid: import has chosen them. @collective local
solve::flow_problem make_flow_problem(const spec& job, const local_model& part);

/// Steady Stokes flow through the fluid of a job, along its axis or along all. @collective on part.where.comm
physics_result run_flow(const spec& job, const local_model& part, const solve::options& how, log_sink& log);

/// The faults of a flow job on its fluid. @throws as run_flow @collective on part.where.comm
void check_flow_on(const spec& job, const local_model& part);

}  // namespace osteon::job
