#pragma once
/// @file
/// Parts of the solid through which a mean temperature gradient drives heat. The connections between runs determine these
/// parts.
#include <osteon/physics/heat/solver/heat_tensor.hpp>
#include <string>

namespace osteon::physics {

/// Effect of a gradient of 1 K/mm along each axis on the runs of the active cells.
///
/// With periodic faces, the gradient drives heat only through parts that are connected to their own periodic image along the
/// gradient. With linear temperatures on the outer faces, the gradient drives heat only through parts that have cells on the
/// outer faces at two positions along the gradient. In any other part, the boundary condition determines the temperature,
/// and the heat flow is zero.
struct driven_parts {
  /// for each run: bit a is set if the gradient along the axis a drives heat through the run
  std::vector<std::uint8_t> axes;
  std::array<std::vector<float>, 3> resting_K;  ///< for each axis and each run: temperature without heat flow
  std::array<std::int64_t, 3> driven_cells{};   ///< number of cells for each axis on all ranks
  /// number of cells with heat flow for at least one axis, and for all axes, on all ranks
  std::int64_t in_any = 0, in_all = 0;
  std::array<face_match, 3> periodic_faces{};
};

/// @param problem heat problem; its faces, gradient and sources are not used @collective on problem.where.comm
/// @cost O(runs) time; 20 bytes per ghost in each exchange; one exchange for each crossing of a path to another rank
driven_parts find_driven_parts(const heat_problem& problem, surroundings kind);

/// Reason why no heat flows along an axis, as a sentence. If heat flows, the text is empty.
std::string reason_without_flow(const driven_parts& parts, surroundings kind, axis along);

}  // namespace osteon::physics
