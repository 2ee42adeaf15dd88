#pragma once
/// @file
/// Frame time by equations 3, 4 and 5 of [Ono] in their printed and extended forms.
///
/// A machine without overheads (`blue_gene_l()`) yields the printed equations. A fitted machine (`fit_compositing`) yields
/// the extended equations.
#include <optional>
#include <osteon/net/costs/compositing_machine.hpp>
#include <string>

namespace osteon::net {

/// Interpretations of equation 4. The printed equation adds a latency in s to a reciprocal bandwidth in s per byte. The
/// equation then multiplies the sum by a number of bytes. With the printed equation, a latency of 6 us increases the frame
/// time by 6.3 s.
enum class latency_reading {
  per_byte,     ///< as printed: t = p [(1 - 1/n) (L + 1/B + O + 1/B_cpu) + L_c + 1/B_c + t_rec]
  per_message,  ///< with consistent units: t = sum_i [L + O + (p / 2^i) (1/B + 1/B_cpu)] + L_c + p/B_c + p t_rec
};

/// Method of collection at the root.
enum class collect_method {
  linear,  ///< each rank sends to the root
  tree,    ///< binomial tree; each rank receives one message at a time
  /// about sqrt(n) leaders gather the data of about sqrt(n) ranks each; then the root gathers the data of the leaders
  leaders,
};

/// Method of the second step, which composites the images of the groups.
enum class outer_method {
  binary_tree,  ///< log2(groups) stages with whole images, without a second collection, as measured in [Ono]
  binary_swap,
};

/// Composition of the time of a frame in seconds.
struct frame_time {
  double compose = 0, collect = 0;
  double total() const { return compose + collect; }
  double frames_per_second() const { return 1 / total(); }
};

/// Time of a gather at one rank. The `bytes` bytes are equally distributed over `ranks` ranks.
double collect_time(const compositing_machine& machine, int ranks, double bytes,
                    collect_method method = collect_method::linear);

/// Time of the binary swap and the collection of an image with `bytes` bytes.
/// @param ranks a power of two; for one rank, the time is 0
/// @throws usage_error if an argument is out of range
/// @cite [Ono]: equations 3 and 4
frame_time binary_swap_time(const compositing_machine& machine, int ranks, double bytes,
                            latency_reading reading = latency_reading::per_message,
                            collect_method method = collect_method::linear);

/// Time of a two-step method. Groups of `group` ranks concurrently execute binary swaps and collections. The second step
/// composites the images of the groups.
/// @param ranks, group powers of two; group = ranks means a single binary swap
/// @throws usage_error if an argument is out of range
/// @cite [Ono]: equation 5
frame_time multi_step_time(const compositing_machine& machine, int ranks, int group, double bytes,
                           outer_method outer = outer_method::binary_tree,
                           latency_reading reading = latency_reading::per_message,
                           collect_method method = collect_method::linear);

/// Group size of `binary-swap` or `multi-step:P` with any method of collection. The result is empty if the equations do not
/// apply to the method or to the number of ranks.
std::optional<int> group_in_equations(const std::string& method, int ranks);

}  // namespace osteon::net
