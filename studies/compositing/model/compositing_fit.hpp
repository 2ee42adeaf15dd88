#pragma once
/// @file
/// Terms that the printed equations omit. These terms are fitted to measured frames.
#include <osteon/net/costs/compositing_model.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

/// A measured frame. The method is a binary swap of `ranks` ranks in groups of `group` ranks, and then a binary tree. If
/// `ranks` equals `group`, the method is a plain binary swap.
struct measured_frame {
  int ranks = 0, group = 0;
  double frames_per_second = 0;
};

/// Measured frames of [Ono], with images of 512 x 512 RGBA8 pixels. All pixels are active.
/// @cite [Ono]: results of binary swap and multi-step compositing
std::vector<measured_frame> measured_on_blue_gene_l();
std::vector<measured_frame> measured_on_ha8000();
constexpr double bytes_of_paper = 512.0 * 512 * 4;

/// Three non-negative constants of the equation t = slowdown x (printed equation) + (k - 1) arrival + k (k - 1) / 2 match.
/// The root of a group receives k = group - 1 messages.
struct compositing_fit {
  /// Factor of the times of transfers and blends, relative to the times that the printed rates of the machine imply.
  double slowdown = 1;
  double arrival_overhead = 0;  ///< s
  double match_time = 0;        ///< s
  double worst = 0;             ///< maximum of |t_model / t_measured - 1| over the fitted frames

  /// The machine with these constants. For this machine, the equations are the extended model.
  net::compositing_machine apply(const net::compositing_machine& machine) const;
};

/// Fit the constants by least squares of the relative errors of the frame times.
/// @param machine machine with the printed rates; the overheads of this machine must be zero
/// @throws usage_error without frames, or for a frame with an invalid time
compositing_fit fit_compositing(const net::compositing_machine& machine, std::span<const measured_frame> frames,
                                double bytes);

/// Frames per second of each frame, predicted by a fit to all other frames. Only this cross-validation tests the fit. With
/// three or fewer frames, the result is empty.
std::vector<double> predict_each_from_the_others(const net::compositing_machine& machine,
                                                 std::span<const measured_frame> frames, double bytes);

}  // namespace osteon::studies
