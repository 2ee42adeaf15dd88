#pragma once
/// @file
/// Velocity and pressure of selected voxels during a flow solution. The fields of all other voxels are not needed.
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace osteon::physics {

/// Time at which a flow is observed.
struct flow_moment {
  double multiple = 1;  ///< multiple of the conditions of a steady flow
  double time_s = 0;
  std::int64_t steps = 0;  ///< number of time steps of a transient flow
  bool is_record = true;   ///< true if the history contains a record of this moment
  bool is_last = true;     ///< true for the last observation
};

struct flow_watch {
  std::vector<std::int32_t> cells;  ///< observed cells of this rank, as ascending indices into through_problem::cells
  /// Returns true if values at a moment are requested. The result is equal on all ranks. Empty: values are requested at all
  /// moments.
  std::function<bool(const flow_moment& moment)> wants{};
  /// Receives velocity (z, y, x) [mm/s] and pressure [Pa] of each cell of `cells`. In stagnant fluid without a path to an
  /// opening, the values are NaN. All ranks call the function. The function may be empty.
  std::function<void(const flow_moment& moment, std::span<const std::array<double, 4>> values)> take{};
};

}  // namespace osteon::physics
