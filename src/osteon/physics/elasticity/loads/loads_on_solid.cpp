
#include <algorithm>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/warning_log.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

bool is_used(const spec& job, const std::string& set) {
  const auto in = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& entry) { return entry.on == set; });
  };
  const mechanical_keys& keys = job.groups.of<mechanical_keys>();
  return in(keys.supports) || in(keys.forces) || std::any_of(keys.cases.begin(), keys.cases.end(), [&](const case_spec& c) {
           return in(c.supports) || in(c.forces);
         });
}

}  // namespace

void warn_of_unused_sets(node_sets& sets, const spec& job, log_sink& log) {
  for (const set_spec& s : job.groups.of<mechanical_keys>().sets) try {
      if (!is_used(job, s.name)) sets.find(s.name);
    } catch (const data_error& e) {  // a missing set is an error only if the set is in use
      log.warn(e.what());
    }
}

void check_loads_on_solid(const spec& job, const std::function<local_model()>& read, std::vector<problem>& warnings) {
  local_model part = read();
  drop_unsupported(job, part, null_log());
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  warning_log of_sets(warnings, "set");
  warn_of_unused_sets(sets, job, of_sets);
  warning_log of_images(warnings, "poisson_image");
  warn_of_locking(job, part, of_images);
  warning_log log(warnings, "load");
  const std::vector<load_case> cases = make_cases(sets, log);
  for (const auto& group : group_by_supports(part.where.comm, cases)) {
    problem->fixed = cases[group.front()].fixed;
    require_supported(*problem, part.header.origin_mm);
    check_elasticity(*problem);
    for (const std::size_t c : group) check_load(*problem, load_of(cases[c]));
  }
}

std::int64_t prescribed_by_test(const spec& job, const voxel::node_count& nodes, elastic_test test) {
  const mechanical_keys& keys = job.groups.of<mechanical_keys>();
  if (!keys.cases.empty() || keys.drive.faces != loaded_faces::image || keys.drive.depth_mm > 0) return 0;
  const auto on = [&](std::size_t a) { return nodes.on_face[a][0] + nodes.on_face[a][1]; };
  const auto axis = static_cast<std::size_t>(load_axis(job));
  using enum elastic_test;
  if (test == axial_bonded || test == shear || (keys.drive.bonded && (test == bending || test == torsion)))
    return 3 * on(axis);
  if (test == confined) return on(0) + on(1) + on(2);
  return test == uniaxial ? on(axis) : 0;
}

}  // namespace osteon::physics
