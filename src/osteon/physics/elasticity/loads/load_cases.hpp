#pragma once
/// @file
/// The load cases of an elasticity job: a single one, or those of [[case]].
#include <osteon/base/log_sink.hpp>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Loads that act simultaneously.
struct load_case {
  std::string name;  ///< empty for the only case of a job without [[case]]
  mechanical_load load;
  elastic_test test = elastic_test::custom;
  std::vector<support> supports;
  std::vector<applied_force> forces;
  std::optional<measure> measures;                       ///< measure of a standard test
  std::vector<numerics::prescribed_displacement> fixed;  ///< from the supports, ordered by node and axis
};

/// Find the sets, supports and forces of all cases. Warns of forces applied directly to a support.
/// @throws as make_support, make_force, make_test, prescribe @collective
std::vector<load_case> make_cases(node_sets& sets, log_sink& log);

/// Group cases that hold the same nodes along the same axes on all ranks, and can therefore share a solver: indices, in
/// order.
/// @collective on comm
std::vector<std::vector<std::size_t>> group_by_supports(MPI_Comm comm, const std::vector<load_case>& cases);

/// The load of a case in the form of the solver. @collective local
elasticity_load load_of(const load_case& what);

/// Results of a solution that concern its loads.
struct load_answers {
  nlohmann::ordered_json keys;  ///< keys of summary.json: reactions, stiffness, applied forces
  std::optional<double> load;   ///< borne by the driven face of a standard test [N or N mm]
  bool is_moment = false;
};

/// Scale the solution to the load requested for a standard test, if any, and compute reactions and stiffness.
/// @throws solve_error if the driven face bears no load that could be scaled @collective
load_answers read_loads(const load_case& what, const numerics::elasticity_problem& problem, const vector3& origin_mm,
                        elasticity_solution& solution);

}  // namespace osteon::physics
