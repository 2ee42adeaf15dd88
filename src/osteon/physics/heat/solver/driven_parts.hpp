#pragma once
/// @file
/// Parts of the solid through which a mean temperature gradient drives heat. The topology of the runs determines these
/// parts.
#include <osteon/physics/heat/solver/heat_tensor.hpp>
#include <string>

namespace osteon::physics {

/// Effect of a gradient of 1 K/mm along each axis on the runs of the active cells.
///
/// With periodic faces, the gradient drives heat through a part only if the part is connected to its own periodic image
/// along the gradient. With linear temperatures on the outer faces, the gradient drives heat through a part only if the
/// part touches the outer faces at two positions along the gradient. The boundary condition determines the temperature of
/// any other part, and the heat flow of such a part is zero.
struct driven_parts {
  std::vector<std::uint8_t> axes;               ///< per run; bit a: the gradient along axis a drives heat through the run
  std::array<std::vector<float>, 3> resting_K;  ///< by axis, per run: temperature without heat flow
  std::array<std::int64_t, 3> driven_cells{};   ///< by axis, over all ranks
  std::int64_t in_any = 0, in_all = 0;          ///< cells with heat flow for at least one axis, and for all axes; all ranks
  std::array<face_match, 3> periodic_faces{};
};

/// @param problem the faces, gradient and sources are not used @collective on problem.where.comm
/// @cost O(runs) time; 20 bytes per ghost and exchange; the number of exchanges is the number of rank crossings of a path
driven_parts find_driven_parts(const heat_problem& problem, surroundings kind);

/// Reason for zero heat flow along an axis, as a sentence. Empty if there is heat flow.
std::string reason_without_flow(const driven_parts& parts, surroundings kind, axis along);

}  // namespace osteon::physics
