#pragma once
/// @file
/// The question of [Itakura]: the time of IS and FT on a number of PUs of a network, if a PU
/// computes as fast as this machine's core.
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <studies/hyper_crossbar/ft.hpp>

namespace osteon::studies {

/// One program on one machine. Computing and transfers do not overlap, as in [Itakura].
struct prediction {
  std::string network;
  int pus = 0;
  double exec = 0, trans = 0;
  std::int64_t rounds = 0;   ///< rounds of messages, in sequence
  double message_bytes = 0;  ///< mean of the largest exchange's messages
  double total() const { return exec + trans; }
};

/// The text of a network of this family with `pus` PUs; a complete network is returned unchanged.
///
/// `hxb`, `torus`, `mesh`: three sizes, as nearly equal powers of two as possible; `fattree`: 16 PUs per leaf, 16 children
/// per level; `dragonfly`: 4 PUs per router and 8 routers per group, above 1024 PUs 8 and 16. Options follow:
/// `torus,rate=10GB/s`.
/// @throws usage_error for another family, or a number of PUs that is not a power of two from 64 to 2^16
std::string network_of_family(const std::string& text, int pus);

/// Seconds of all rounds, each with its busiest link and the start-up of its messages (net::plan_cost); of a sample of
/// evenly spread rounds, scaled, if there are more than `sample`.
double exchange_seconds(const net::network& where, const plan::plan& plan, std::int64_t sample);

/// Keys that each of `pus` sends to each in the all-to-all exchange of IS, [from * pus + to]: stably sorted by the lower
/// half of their bits. @throws usage_error for an unknown class
std::vector<std::int32_t> is_exchange_counts(const std::string& letter, int pus);

/// Broadcast of the last PU's table of counts.
enum class table_broadcast : std::uint8_t {
  tree,       ///< a binomial tree of messages
  crossbars,  ///< one step, as switches copy a message to all their outputs (crossbar_broadcast.hpp), as in [Itakura]
};

/// IS: `exec` seconds of ten rankings on one PU, which decrease as 1 / P; per ranking the all-to-all of 12 bytes per key,
/// and two tables of counts through prefix sums and a broadcast.
/// @throws usage_error for `crossbars` on a network whose routes from a PU are not a tree
prediction predict_is(const net::network& where, const std::string& letter, double exec,
                      table_broadcast broadcast = table_broadcast::tree);

/// FT by two transpositions per transform within the rows and columns of the virtual plane of PUs.
/// @param exec seconds of a PU's share (measure_ft_share)
prediction predict_ft(const net::network& where, const ft_class& problem, double exec);

/// FT by the fixed scheme of [Itakura]: points are not moved, and in each of log2 P stages of a transform a PU
/// swaps its whole share with another one.
/// @param exec as for predict_ft: the fixed scheme has the same butterflies, half of them on data from another PU, so this
/// is
///   a lower bound
/// @throws usage_error if the number of PUs is not a power of two
prediction predict_ft_fixed(const net::network& where, const ft_class& problem, double exec);

/// CPU seconds of the share of one of `pus` PUs on this core: its initial values, its lines in all transforms, with packing
/// for exchanges that are not executed. Other load of the core does not count, except for its use of caches.
double measure_ft_share(const ft_class& problem, int pus);

}  // namespace osteon::studies
