#include <osteon/physics/elasticity/loads/elastic_problem.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/counted.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/loose_parts.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

std::shared_ptr<numerics::elasticity_problem> make_problem(const local_model& part) {
  const auto problem = std::make_shared<numerics::elasticity_problem>();
  comm::collectively(part.where.comm, [&] {
    problem->where = part.where;
    problem->spacing_mm = part.header.spacing_mm;
    problem->materials = &part.header.materials;
    problem->cells = part.cells;
    problem->nodes = voxel::corner_nodes(part.cells);
    problem->material = part.material;
  });
  return problem;
}

void require_supported(const numerics::elasticity_problem& problem, const vector3& origin, std::string_view remedy) {
  const loose_parts found = find_loose_parts(problem);
  if (found.loose == 0) return;
  // If all parts are loose, the solver reports the rigid motions of the whole specimen. The rigid motions are more
  // informative than a list of parts.
  if (found.loose == found.parts && !free_rigid_motions(problem).empty()) return;
  const vector3 &low = found.largest_low_mm, &high = found.largest_high_mm;
  throw data_error(fmt::format(
      "{} of the {} parts of the solid ({}) are not supported: {}, and {} connected to other parts by single nodes or edges "
      "only; the largest has {} between {} and {}; {}",
      found.loose, found.parts, counted(found.voxels, "voxel"), counted(found.loose - found.hanging, "island"),
      found.hanging, counted(found.largest_voxels, "voxel"), in_mm({low.z + origin.z, low.y + origin.y, low.x + origin.x}),
      in_mm({high.z + origin.z, high.y + origin.y, high.x + origin.x}), remedy));
}

std::string locking_at(double poisson_ratio) {
  return fmt::format(
      "Poisson's ratio {:g} exceeds {:g}: eight-node hexahedra lock in nearly incompressible materials, so that the result "
      "is too stiff; use a value of at most {:g}",
      poisson_ratio, largest_poisson_ratio, largest_poisson_ratio);
}

double highest_poisson_ratio(const local_model& part) {
  std::vector<bool> used(part.header.materials.size());
  for (const material_number m : part.material)
    if (m < used.size()) used[m] = true;
  double highest = -1;
  for (std::size_t m = 1; m < used.size(); ++m)
    if (used[m]) highest = std::max(highest, part.header.materials[m].poisson_ratio);
  return comm::max_over_ranks(part.where.comm, highest);
}

void warn_of_locking(const spec& job, const local_model& part, log_sink& log) {
  if (!job.poisson_image) return;
  if (const double ratio = highest_poisson_ratio(part); locks_at(ratio)) log.warn(locking_at(ratio));
}

namespace {

struct dropped_parts {
  std::int64_t parts = 0, voxels = 0;
};

// @return zeros if no part is supported; the solver reports this fault
dropped_parts drop_once(const spec& job, local_model& part) {
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  // The cases are created again, with warnings, after the removal.
  const std::vector<load_case> cases = make_cases(sets, null_log());
  dropped_parts dropped;
  std::vector<std::uint8_t> drop(static_cast<std::size_t>(part.cells.size()));
  for (const auto& group : group_by_supports(part.where.comm, cases)) {
    problem->fixed = cases[group.front()].fixed;
    const loose_parts found = find_loose_parts(*problem);
    if (found.loose == found.parts) return {};
    dropped.parts = std::max(dropped.parts, found.loose);
    for (std::size_t c = 0; c < drop.size(); ++c) drop[c] |= found.is_loose[c];
  }
  dropped.voxels = std::count_if(drop.begin(), drop.end(), [](std::uint8_t is_dropped) { return is_dropped != 0; });
  comm::all_reduce(part.where.comm, &dropped.voxels, 1, MPI_SUM);
  if (dropped.voxels == 0) return {};
  comm::collectively(part.where.comm, [&] {
    std::vector<voxel::run> kept;
    std::vector<material_number> material;
    for (const voxel::run& r : part.cells.runs()) {
      if (drop[static_cast<std::size_t>(r.first)]) continue;  // all voxels of a run belong to the same part
      kept.push_back(r);
      material.insert(material.end(), part.material.begin() + r.first, part.material.begin() + r.first + r.length);
    }
    part.cells = {part.cells.shape(), std::move(kept)};
    part.material = std::move(material);
  });
  return dropped;
}

}  // namespace

std::int64_t drop_unsupported(const spec& job, local_model& part, log_sink& log) {
  if (!job.segment.drop_unsupported) return 0;
  dropped_parts total;
  // The removal is repeated, because a part supported only by a removed part is loose after the removal.
  for (dropped_parts d = drop_once(job, part); d.voxels > 0; d = drop_once(job, part)) {
    total.parts += d.parts;
    total.voxels += d.voxels;
  }
  if (total.voxels > 0)
    log.note(fmt::format("removed {} with {}, which no support holds", counted(total.parts, "part"),
                         counted(total.voxels, "voxel")));
  return total.voxels;
}

}  // namespace osteon::physics
