#pragma once
/// @file
/// The measurement loop for compositors. The loop is used for ranks and for threads.
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// Functions with which a member of the loop synchronises and measures time. A member is a rank or a thread.
struct frame_member {
  std::function<void()> wait_for_all;                ///< a barrier
  std::function<double()> cpu_seconds;               ///< CPU time of this member in s
  std::function<bool(double seconds)> have_all_run;  ///< true if all members have run for this time; equal on all members
};

/// Measurements of a method by one member. The measurements are times of frames, and CPU times of batches. All members have
/// equal numbers of samples.
struct frame_samples {
  std::vector<double> wall, cpu, blend, exchange, collect;
  std::vector<double> display;  ///< times of the display node; empty without a display node
  double bytes = 0;             ///< number of bytes that the member sends in a frame
};

/// Run all methods alternately for at least `seconds`. Each batch consists of some frames between two barriers.
/// @return measurements of each method @collective all members
std::vector<frame_samples> measure_frames(std::span<const composite_way> ways, const frame_member& member, double seconds);

/// The cost of a method.
/// @param joined samples of all members: for each time, the maximum over the members; for CPU times, the sum over the
/// members
/// @param bytes number of bytes that each member sends
composite_cost cost_of(const std::string& name, const frame_samples& joined, std::vector<double> bytes);

/// Compare the picture of a method with the exact picture.
/// @throws data_error if the error exceeds the bound of the method
void find_error(composite_cost& cost, const composite_case& scene, int members, const composite_way& way);

}  // namespace osteon::studies
