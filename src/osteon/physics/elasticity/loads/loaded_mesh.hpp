#pragma once
/// @file
/// The mesh and the load cases of a job, for files of other programs.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Call `f(problem, sets, cases)` with the elasticity problem of a job and its load cases.
/// @param part the model on one rank @param ending file name ending, for messages
/// @param has_plasticity the file contains a yield law: jobs of physics "failure" are also accepted
/// @throws usage_error if the job has no mechanical loads (homogenise, other physics), data_error as in a run of the job
/// @collective on part.where.comm, one rank
template <class F>
void with_loaded_mesh(const spec& job, local_model& part, const char* ending, bool has_plasticity, log_sink& log, F&& f) {
  if (!accepts_key(job, "case") && !(has_plasticity && physics_of(job).describe_loads))
    throw usage_error(
        fmt::format("physics = \"{}\" cannot be written as {}; only elasticity is supported", job.physics, ending));
  if (is_homogenisation(job))
    throw usage_error(fmt::format(
        "load.test = \"homogenise\" cannot be written as {}; choose a test that drives a face or a support", ending));
  if (part.where.boxes->ranks() != 1)
    throw usage_error(fmt::format("{} files are written by one rank; start the command without an MPI launcher", ending));
  drop_unsupported(job, part, log);
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  const std::vector<load_case> cases = make_cases(sets, log);
  for (const load_case& c : cases) {
    problem->fixed = c.fixed;
    require_supported(*problem, part.header.origin_mm);
  }
  f(*problem, sets, cases);
}

/// Call f(set) for the sets of supports and driven faces.
template <class F>
void for_each_set(const std::vector<load_case>& cases, F f) {
  for (const load_case& c : cases) {
    for (const support& s : c.supports) f(*s.on);
    if (c.measures) f(*c.measures->driven);
  }
}

/// Nodal forces of a load case, summed per node.
inline std::map<std::int32_t, vector3> forces_of(const load_case& c) {
  std::map<std::int32_t, vector3> sums;
  for (const applied_force& f : c.forces)
    for (const numerics::nodal_force& n : f.nodes)
      for (int a = 0; a < 3; ++a) sums[n.node][a] += n.force_N[a];
  return sums;
}

}  // namespace osteon::physics
