#pragma once
/// @file
/// The load cases of an elasticity job.
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

/// Create the load cases of a job. Warns of forces applied directly to a support.
/// @throws as make_support, make_force, make_test, prescribe @collective
std::vector<load_case> make_cases(node_sets& sets, log_sink& log);

/// Group the load cases with equal constrained nodes and axes on all ranks. The load cases of a group can share a solver.
/// @return indices of the cases by group, ascending
/// @collective on comm
std::vector<std::vector<std::size_t>> group_by_supports(MPI_Comm comm, const std::vector<load_case>& cases);

/// Convert the loads of a load case to the type used by the solver. @collective local
elasticity_load load_of(const load_case& c);

/// Results of a solution that depend on the load case.
struct load_answers {
  nlohmann::ordered_json keys;  ///< keys of summary.json: reactions, stiffness, applied forces
  std::optional<double> load;   ///< reaction of the driven face of a standard test [N or N mm]
  bool is_moment = false;
};

/// Compute the reactions and the stiffness of a load case. If a standard test requests a load, first scale the solution to
/// the requested load.
/// @throws solve_error if the reaction of the driven face cannot be scaled to the load @collective
load_answers read_loads(const load_case& given, const numerics::elasticity_problem& problem, const vector3& origin_mm,
                        elasticity_solution& solution);

}  // namespace osteon::physics
