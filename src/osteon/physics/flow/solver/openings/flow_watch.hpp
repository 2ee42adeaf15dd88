#pragma once
/// @file
/// Velocity and pressure of selected voxels, reported during a flow solution without fields of all voxels.
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace osteon::physics {

/// Time of an observation of a flow.
struct flow_moment {
  double multiple = 1;  ///< multiple of the conditions of a steady flow
  double time_s = 0;
  std::int64_t steps = 0;  ///< number of time steps of a transient flow
  bool is_record = true;   ///< the history contains a record of this moment
  bool is_last = true;     ///< last observation
};

struct flow_watch {
  std::vector<std::int32_t> cells;  ///< observed cells of this rank: ascending indices of through_problem::cells
  /// Returns true if the moment is requested; equal on all ranks. Empty: all moments.
  std::function<bool(const flow_moment& moment)> wants{};
  /// Receives velocity (z, y, x) [mm/s] and pressure [Pa] of each cell of `cells`. The values are NaN for stagnant fluid
  /// without a path to an opening. Called by all ranks; may be empty.
  std::function<void(const flow_moment& moment, std::span<const std::array<double, 4>> values)> take{};
};

}  // namespace osteon::physics
