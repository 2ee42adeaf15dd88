#pragma once
/// @file
/// The measurement loop of compositors, for ranks and for threads.
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// Functions for synchronisation and timing, used by a member of the loop. A member is a rank or a thread.
struct frame_member {
  std::function<void()> wait_for_all;                ///< a barrier
  std::function<double()> cpu_seconds;               ///< CPU seconds of this member
  std::function<bool(double seconds)> have_all_run;  ///< true if all members have run for this time; equal on all members
};

/// Measurements of a method by one member: times of frames, and CPU seconds of batches. All members have equal numbers of
/// samples.
struct frame_samples {
  std::vector<double> wall, cpu, blend, exchange, collect;
  std::vector<double> display;  ///< empty without a display node
  double bytes = 0;             ///< sent in a frame
};

/// Run all methods alternately for at least `seconds`. Each batch has some frames between two barriers.
/// @return measurements by method @collective all members
std::vector<frame_samples> measure_frames(std::span<const composite_way> ways, const frame_member& member, double seconds);

/// The cost of a method.
/// @param joined samples of all members: maximum over the members of each time, and sum over the members of the CPU seconds
/// @param bytes bytes sent by each member
composite_cost cost_of(const std::string& name, const frame_samples& joined, std::vector<double> bytes);

/// Compare the picture of a method with the exact picture.
/// @throws data_error if its error exceeds the bound of the method
void find_error(composite_cost& cost, const composite_case& scene, int members, const composite_way& way);

}  // namespace osteon::studies
