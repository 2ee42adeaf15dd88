#pragma once
/// @file
/// The measuring loop of compositors, for ranks and for threads.
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// Functions that a member of the loop, a rank or a thread, needs for synchronisation and timing.
struct frame_member {
  std::function<void()> wait_for_all;                ///< a barrier
  std::function<double()> cpu_seconds;               ///< CPU seconds of this member
  std::function<bool(double seconds)> have_all_run;  ///< true if all have run this long; equal on all members
};

/// A member's measurements of a method: frame times, and CPU seconds by turn. All have equal numbers of samples.
struct frame_samples {
  std::vector<double> wall, cpu, blend, exchange, collect;
  std::vector<double> display;  ///< empty without a display node
  double bytes = 0;             ///< sent in a frame
};

/// Run all methods in turn, some frames at a time between two barriers, for at least `seconds`.
/// @return measurements by method @collective all members
std::vector<frame_samples> measure_frames(std::span<const composite_way> ways, const frame_member& member, double seconds);

/// The cost of a method.
/// @param joined samples of all members: the maximum of each, but the sum of CPU seconds
/// @param bytes sent by each member
composite_cost cost_of(const std::string& name, const frame_samples& joined, std::vector<double> bytes);

/// Compare a method's picture with the exact one.
/// @throws data_error if its error exceeds the bound of the method
void find_error(composite_cost& cost, const composite_case& scene, int members, const composite_way& way);

}  // namespace osteon::studies
