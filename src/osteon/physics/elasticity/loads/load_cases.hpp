#pragma once
/// @file
/// The load cases of an elasticity job: one, or those of [[case]].
#include <osteon/base/log_sink.hpp>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// What acts at the same time.
struct load_case {
  std::string name;  ///< empty for the only case of a job without [[case]]
  mechanical_load load;
  elastic_test test = elastic_test::custom;
  std::vector<support> supports;
  std::vector<applied_force> forces;
  std::optional<measure> measures;                       ///< of a standard test
  std::vector<numerics::prescribed_displacement> fixed;  ///< by the supports, ordered by node and axis
};

/// Find the sets, supports and forces of all cases. Warns of forces that go straight into a support.
/// @throws as make_support, make_force, make_test, prescribe @collective
std::vector<load_case> make_cases(node_sets& sets, log_sink& log);

/// Cases that hold the same nodes along the same axes on all ranks, and so can share a solver: indices, in order.
/// @collective on comm
std::vector<std::vector<std::size_t>> group_by_supports(MPI_Comm comm, const std::vector<load_case>& cases);

/// The load of a case as the solver takes it. @collective local
elasticity_load load_of(const load_case& what);

/// What a solution says about its loads.
struct load_answers {
  nlohmann::ordered_json keys;  ///< of summary.json: reactions, stiffness, applied forces
  std::optional<double> load;   ///< that the driven face of a standard test bears [N or N mm]
  bool is_moment = false;
};

/// Scale the solution to the load that a standard test asks for, if any, and read reactions and stiffness off it.
/// @throws solve_error if the driven face bears nothing that could be scaled @collective
load_answers read_loads(const load_case& what, const numerics::elasticity_problem& problem, const vector3& origin_mm,
                        elasticity_solution& solution);

}  // namespace osteon::physics
