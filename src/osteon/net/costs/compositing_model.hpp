#pragma once
/// @file
/// Frame time by equations 3, 4 and 5 of [Ono], as printed and extended.
///
/// A machine without overheads (`blue_gene_l()`) yields the printed equations; a fitted machine (`fit_compositing`) yields
/// the extended equations.
#include <optional>
#include <osteon/net/costs/compositing_machine.hpp>
#include <string>

namespace osteon::net {

/// Interpretation of equation 4. The printed equation adds a latency in s to a reciprocal bandwidth in s per byte, and
/// multiplies the sum by bytes. In the printed equation, a latency of 6 us contributes 6.3 s per frame.
enum class latency_reading {
  per_byte,     ///< as printed: t = p [(1 - 1/n) (L + 1/B + O + 1/B_cpu) + L_c + 1/B_c + t_rec]
  per_message,  ///< with consistent units: t = sum_i [L + O + (p / 2^i) (1/B + 1/B_cpu)] + L_c + p/B_c + p t_rec
};

/// Method of collection at the root.
enum class collect_method {
  linear,   ///< each rank sends to the root
  tree,     ///< binomial tree; a rank receives one message at a time
  leaders,  ///< each of about sqrt(n) leaders gathers the data of about sqrt(n) ranks; then the root gathers the data of the
            ///< leaders
};

/// Method of the second step, which composites the images of the groups.
enum class outer_method {
  binary_tree,  ///< log2(groups) stages with whole images, without a second collect, as measured in [Ono]
  binary_swap,
};

/// Seconds of a frame.
struct frame_time {
  double compose = 0, collect = 0;
  double total() const { return compose + collect; }
  double frames_per_second() const { return 1 / total(); }
};

/// Time to gather `bytes` bytes, equally distributed over `ranks` ranks, at one rank.
double collect_time(const compositing_machine& machine, int ranks, double bytes,
                    collect_method method = collect_method::linear);

/// Time of the binary swap and the collect of an image of `bytes` bytes.
/// @param ranks a power of two; the time for one rank is 0
/// @throws usage_error
/// @cite [Ono]: equations 3 and 4
frame_time binary_swap_time(const compositing_machine& machine, int ranks, double bytes,
                            latency_reading reading = latency_reading::per_message,
                            collect_method method = collect_method::linear);

/// Time of concurrent binary swaps and collects in groups of `group` ranks, followed by compositing the images of the
/// groups.
/// @param ranks, group powers of two; group = ranks is a single binary swap
/// @throws usage_error
/// @cite [Ono]: equation 5
frame_time multi_step_time(const compositing_machine& machine, int ranks, int group, double bytes,
                           outer_method outer = outer_method::binary_tree,
                           latency_reading reading = latency_reading::per_message,
                           collect_method method = collect_method::linear);

/// Group size of `binary-swap` or `multi-step:P`, with any method of collection. The result is empty if the equations do not
/// apply to the method or the number of ranks.
std::optional<int> group_in_equations(const std::string& method, int ranks);

}  // namespace osteon::net
