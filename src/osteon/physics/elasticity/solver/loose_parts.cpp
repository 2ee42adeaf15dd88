#include <osteon/physics/elasticity/solver/loose_parts.hpp>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/elasticity/solver/part_motions.hpp>
#include <tuple>

namespace osteon::physics {

namespace {

void describe(const elasticity_problem& problem, const solid_parts& parts, const std::vector<motion_mask>& motions,
              loose_parts& result) {
  const std::vector<std::int64_t> voxels = parts.voxels();
  const auto bounds = parts.bounds();
  std::vector<int> meets_another(at(parts.count()));
  for (const meeting_node& m : parts.meetings())
    for (const std::int32_t p : m.parts) meets_another[at(p)] = 1;
  comm::all_reduce(parts.comm(), meets_another.data(), parts.count(), MPI_MAX);
  std::array<std::int64_t, 6> largest{};
  for (std::size_t p = 0; p < motions.size(); ++p) {
    if (motions[p] == 0) continue;
    ++result.loose;
    result.hanging += meets_another[p];
    result.voxels += voxels[p];
    // For parts of equal size, the position decides, because the order of the parts depends on the ranks.
    if (std::tuple(-voxels[p], bounds[p]) >= std::tuple(-result.largest_voxels, largest)) continue;
    result.largest_voxels = voxels[p];
    largest = bounds[p];
  }
  for (int a = 0; a < 3; ++a) {
    result.largest_low_mm[a] = static_cast<double>(largest[at(a)]) * problem.spacing_mm[a];
    result.largest_high_mm[a] = static_cast<double>(largest[at(3 + a)]) * problem.spacing_mm[a];
  }
}

}  // namespace

loose_parts find_loose_parts(const elasticity_problem& problem) {
  const solid_parts parts(problem.where, problem.cells, problem.nodes, problem.periodic);
  loose_parts result;
  result.parts = parts.count();
  result.is_loose.assign(at(problem.cells.size()), 0);
  if (parts.count() <= 1) return result;  // the solver reports the remaining motions of a single part
  part_motions joint(parts, problem.fixed, problem.periodic != std::array<bool, 3>{});
  const std::vector<motion_mask> motions = joint.free_motions();
  describe(problem, parts, motions, result);
  const auto runs = problem.cells.runs();
  for (std::size_t r = 0; r < runs.size(); ++r)
    std::fill_n(result.is_loose.begin() + runs[r].first, runs[r].length, motions[at(parts.of_run()[r])] != 0);
  return result;
}

}  // namespace osteon::physics
