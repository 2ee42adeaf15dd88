#pragma once
/// @file
/// Terms that the printed equations omit, fitted to measured frames.
#include <osteon/net/costs/compositing_model.hpp>
#include <span>
#include <vector>

namespace osteon::studies {

/// A measured frame: binary swap of `ranks` ranks in groups of `group` (the plain swap if equal), then a binary tree.
struct measured_frame {
  int ranks = 0, group = 0;
  double frames_per_second = 0;
};

/// The frames that [Ono] measured: images of 512 x 512 RGBA8, all pixels active.
/// @cite [Ono]: results of binary swap and multi-step compositing
std::vector<measured_frame> measured_on_blue_gene_l();
std::vector<measured_frame> measured_on_ha8000();
constexpr double bytes_of_paper = 512.0 * 512 * 4;

/// Three non-negative constants: t = slowdown x (printed equation) + (k - 1) arrival + k (k - 1) / 2 match, where a group's
/// root receives k = group - 1 messages.
struct compositing_fit {
  double slowdown = 1;          ///< factor of transfers and blends over the machine's figures
  double arrival_overhead = 0;  ///< s
  double match_time = 0;        ///< s
  double worst = 0;             ///< largest |t_model / t_measured - 1| of the fitted frames

  /// The machine with these constants: its equations are the extended model.
  net::compositing_machine apply(const net::compositing_machine& machine) const;
};

/// Least squares of the relative error of the frame time over the frames.
/// @param machine the printed figures; its own overheads must be zero
/// @throws usage_error without frames, or for one with an invalid time
compositing_fit fit_compositing(const net::compositing_machine& machine, std::span<const measured_frame> frames,
                                double bytes);

/// Frames per second that the model predicts for each frame after a fit to the others. This is the only test of
/// such a fit; it requires more than three frames, otherwise the answer is empty.
std::vector<double> predict_each_from_the_others(const net::compositing_machine& machine,
                                                 std::span<const measured_frame> frames, double bytes);

}  // namespace osteon::studies
