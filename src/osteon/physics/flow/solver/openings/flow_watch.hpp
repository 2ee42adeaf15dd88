#pragma once
/// @file
/// Voxels whose velocity and pressure are told while a flow is solved for, without fields of all voxels.
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace osteon::physics {

/// When a flow is looked at.
struct flow_moment {
  double multiple = 1;  ///< of a steady flow: of its conditions
  double time_s = 0;
  std::int64_t steps = 0;  ///< in time, so far
  bool is_record = true;   ///< the history has a record of it
  bool is_last = true;     ///< none follows
};

struct flow_watch {
  std::vector<std::int32_t> cells;  ///< of this rank, by their numbers in through_problem::cells, ascending
  /// Whether a moment is to be told, the same on all ranks; empty: all.
  std::function<bool(const flow_moment& moment)> wants{};
  /// Told velocity (z, y, x) [mm/s] and pressure [Pa] of each of `cells`, NaN where the fluid stands still because no path
  /// joins it to an opening. Called by all ranks; empty: nobody watches.
  std::function<void(const flow_moment& moment, std::span<const std::array<double, 4>> values)> take{};
};

}  // namespace osteon::physics
