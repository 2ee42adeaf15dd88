#include <osteon/job/physics_entry.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace osteon::job {

const physics_entry* find_physics(const std::string& name) {
  for (const physics_entry* p : all_physics())
    if (name == p->name) return p;
  return nullptr;
}

const physics_entry& physics_of(const spec& job) {
  if (const physics_entry* found = find_physics(job.physics)) return *found;
  std::vector<std::string> names;
  for (const physics_entry* p : all_physics()) names.emplace_back(p->name);
  throw usage_error(fmt::format("physics = \"{}\" is not one of {}", job.physics, fmt::join(names, ", ")));
}

kept_parts keep_of(const spec& job) { return job.segment.keep.value_or(physics_of(job).default_keep); }

double tolerance_of(const spec& job) { return job.solve.tolerance.value_or(physics_of(job).default_tolerance); }

bool draws_surface(const spec& job) {
  return job.picture.method ? *job.picture.method == "surface" : physics_of(job).picture.is_surface;
}

std::string colour_map_of(const spec& job) {
  return job.picture.colour_map.value_or(draws_surface(job) ? "ivory" : "inferno");
}

bool needs(const physics_entry& physics, const material_property& property) {
  return std::find(physics.needs.begin(), physics.needs.end(), &property) != physics.needs.end();
}

}  // namespace osteon::job
