#pragma once
/// @file
/// Fit of latency and bandwidth to the times of messages of several sizes.
#include <osteon/machine/links/links.hpp>
#include <span>
#include <vector>

namespace osteon::machine {

/// Time of a message in one direction.
struct timing {
  double bytes = 0;
  double seconds = 0;
};

enum class fit_method : std::uint8_t {
  robust,  ///< Theil-Sen line through the medians at geometrically spaced sizes
  paper,   ///< least squares line through the means at five sizes, from 0.667 to 1.5 times a given size; results may be
           ///< negative
};

/// Median. For an even number of values, the result is the lower of the two middle values. @pre values is not empty
double median(std::vector<double> values);

/// Theil-Sen line through the timings of at least a sixteenth of the largest size. The inverse bandwidth is the median of
/// the slopes of all pairs of points. This median tolerates one outlier in five points. Smaller sizes are excluded because
/// noise and buffering dominate their slopes. The latency is the time of the smallest message minus the transmission time of
/// its bytes. Latency and bandwidth are non-negative.
/// @pre at least one timing, all positive
/// @cite [Sen1968]
link fit_robust(std::span<const timing> timings);

/// Least-squares line through the timings, without constraints on the result.
/// @cite [Ito], section 3.1
link fit_paper(std::span<const timing> timings);

}  // namespace osteon::machine
