#pragma once
/// @file
/// A heat job as the problem that the solver takes; units become mm, W, K here.
#include <osteon/job/physics.hpp>
#include <osteon/solve/heat_transient.hpp>

namespace osteon::job {

/// @collective local
solve::heat_problem make_heat_problem(const spec& job, const specimen& part);

/// @collective local
solve::time_plan make_time_plan(const spec& job, const specimen& part);

}  // namespace osteon::job
