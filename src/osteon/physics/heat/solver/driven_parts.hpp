#pragma once
/// @file
/// Which mean gradients drive heat through which parts of the solid: a question of topology, answered without a solution.
#include <osteon/physics/heat/solver/heat_tensor.hpp>

namespace osteon::physics {

/// For the runs of a problem's cells, what a gradient of 1 K/mm along each axis does to them.
///
/// Where the image repeats, a gradient drives heat through a part only if the part, followed through the periodic faces,
/// comes back to itself shifted along the gradient. Where the outer faces have linear temperatures, it does so only if the
/// part meets two of them. In all other parts the temperature follows from the surroundings, and no heat flows.
struct driven_parts {
  std::vector<std::uint8_t> axes;               ///< per run: bit a: the gradient along a drives heat through it
  std::array<std::vector<float>, 3> resting_K;  ///< by axis, per run: its temperature where nothing is driven
  std::array<std::int64_t, 3> driven_cells{};   ///< by axis, over all ranks
  std::int64_t in_any = 0, in_all = 0;          ///< cells that are driven along some axis; along all. Over all ranks
  std::array<face_match, 3> periodic_faces{};
};

/// @param problem its faces, gradient and sources are not read @collective on problem.where.comm
/// @cost O(runs) time; per round 20 bytes for each ghost, as many rounds as a path has to cross ranks
driven_parts find_driven_parts(const heat_problem& problem, surroundings kind);

/// Why no heat flows along an axis, a sentence; empty: some does.
std::string why_at_rest(const driven_parts& parts, surroundings kind, axis along);

}  // namespace osteon::physics
