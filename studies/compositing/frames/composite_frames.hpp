#pragma once
/// @file
/// The loop that measures compositors, for ranks and for threads.
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

/// What a member of the loop, a rank or a thread, needs of the others and of its clock.
struct frame_member {
  std::function<void()> wait_for_all;                ///< a barrier
  std::function<double()> cpu_seconds;               ///< of this member
  std::function<bool(double seconds)> have_all_run;  ///< whether all have run so long; the same answer for each of them
};

/// What a member measured of a way: by frame, CPU seconds by turn. All of them have the same numbers of samples.
struct frame_samples {
  std::vector<double> wall, cpu, blend, exchange, collect;
  std::vector<double> display;  ///< none without a display node
  double bytes = 0;             ///< sent in a frame
};

/// Run all ways in turn, some frames at a time between two barriers, for at least `seconds`.
/// @return by way @collective all members
std::vector<frame_samples> measure_frames(std::span<const composite_way> ways, const frame_member& member, double seconds);

/// What a way took.
/// @param joined samples of all members: the largest of each, but of CPU seconds their sum
/// @param bytes sent by each member
composite_cost cost_of(const std::string& name, const frame_samples& joined, std::vector<double> bytes);

/// Compare a way's picture with the exact one.
/// @throws data_error if it is further from it than the way promises
void find_error(composite_cost& cost, const composite_case& what, int members, const composite_way& way);

}  // namespace osteon::studies
