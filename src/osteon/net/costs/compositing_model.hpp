#pragma once
/// @file
/// Time of a frame by equations 3, 4 and 5 of [Ono], as printed and extended.
///
/// One set of functions serves both: a machine without overheads (`blue_gene_l()`) yields the printed equations, a fitted
/// one (`fit_compositing`) the extended ones.
#include <optional>
#include <osteon/net/costs/compositing_machine.hpp>
#include <string>

namespace osteon::net {

/// Interpretation of equation 4. As printed it adds a latency in s to the reciprocal of a bandwidth in s per byte and
/// multiplies the sum by bytes, so that 6 us become 6.3 s per frame.
enum class latency_reading {
  per_byte,     ///< to the letter: t = p [(1 - 1/n) (L + 1/B + O + 1/B_cpu) + L_c + 1/B_c + t_rec]
  per_message,  ///< as intended: t = sum_i [L + O + (p / 2^i) (1/B + 1/B_cpu)] + L_c + p/B_c + p t_rec
};

/// Method of collection at the root.
enum class collect_method {
  linear,   ///< each rank sends to the root
  tree,     ///< pairs, then pairs of pairs; no rank receives two messages at a time
  leaders,  ///< each of about sqrt(n) leaders gathers about sqrt(n) ranks, then the root gathers the leaders
};

/// Method of the second step, which composites the images of groups.
enum class outer_method {
  binary_tree,  ///< whole images, log2(groups) stages, no second collect; as measured in [Ono]
  binary_swap,
};

/// Seconds of a frame.
struct frame_time {
  double compose = 0, collect = 0;
  double total() const { return compose + collect; }
  double frames_per_second() const { return 1 / total(); }
};

/// Gather `bytes` bytes, equally distributed, to one of `ranks` ranks.
double collect_time(const compositing_machine& machine, int ranks, double bytes,
                    collect_method how = collect_method::linear);

/// Binary swap and collect of `bytes` bytes of image.
/// @param ranks a power of two; one rank takes no time
/// @throws usage_error
/// @cite [Ono]: equations 3 and 4
frame_time binary_swap_time(const compositing_machine& machine, int ranks, double bytes,
                            latency_reading reading = latency_reading::per_message,
                            collect_method how = collect_method::linear);

/// Binary swap and collect in groups of `group` ranks, all at the same time, then the groups' images.
/// @param ranks, group powers of two; group = ranks is the plain binary swap
/// @throws usage_error
/// @cite [Ono]: equation 5
frame_time multi_step_time(const compositing_machine& machine, int ranks, int group, double bytes,
                           outer_method outer = outer_method::binary_tree,
                           latency_reading reading = latency_reading::per_message,
                           collect_method how = collect_method::linear);

/// Ranks of a group of `binary-swap` or `multi-step:P`, with any collection; empty if the equations cover neither this
/// method nor this number of ranks.
std::optional<int> group_in_equations(const std::string& method, int ranks);

}  // namespace osteon::net
