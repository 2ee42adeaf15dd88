#pragma once
/// @file
/// Latency and bandwidth from the times of messages of several sizes.
#include <osteon/machine/links/links.hpp>
#include <span>
#include <vector>

namespace osteon::machine {

/// Seconds that a message of some bytes takes in one direction.
struct timing {
  double bytes = 0;
  double seconds = 0;
};

enum class fit_method : std::uint8_t {
  robust,  ///< medians at geometric sizes, Theil-Sen line
  paper,   ///< means at five sizes from 0.667 to 1.5 times one, least squares: may be negative
};

/// The value in the middle; of an even number the lower of the two in the middle. @pre values is not empty
double median(std::vector<double> values);

/// The line of Theil and Sen through the largest sizes, those from a sixteenth of the largest on: the median of the slopes
/// of all pairs of points, so that one of five may be wrong. Slopes between small sizes are all noise, and show what a
/// buffer lets through at once. Latency is what the smallest message takes beyond its bytes. Neither is ever negative.
/// @pre at least one timing, all positive
/// @cite [Sen1968]
link fit_robust(std::span<const timing> timings);

/// The line of least squares through the timings, whatever comes out.
/// @cite [Ito], section 3.1
link fit_paper(std::span<const timing> timings);

}  // namespace osteon::machine
