#pragma once
/// @file
/// The question of [Itakura]: how long would IS and FT take on so many PUs of a network, if a PU
/// computes as fast as this machine's core does?
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <studies/hyper_crossbar/ft.hpp>

namespace osteon::studies {

/// One program on one machine. Computing and transfers do not overlap, as in [Itakura].
struct prediction {
  std::string network;
  int pus = 0;
  double exec = 0, trans = 0;
  std::int64_t rounds = 0;   ///< of messages, one after the other
  double message_bytes = 0;  ///< mean of the largest exchange's messages
  double total() const { return exec + trans; }
};

/// The text of a network of this family with `pus` PUs; a network that is written out stays as it is.
///
/// `hxb`, `torus`, `mesh`: three sizes as nearly equal as powers of two can be; `fattree`: 16 PUs a leaf, 16 children a
/// level; `dragonfly`: 4 PUs a router and 8 routers a group, above 1024 PUs 8 and 16. Options follow: `torus,rate=10GB/s`.
/// @throws usage_error for another family, or a number of PUs that is no power of two from 64 to 2^16
std::string network_of_family(const std::string& text, int pus);

/// Seconds of all rounds, each as long as its busiest link and the start-up of its messages (net::plan_cost); of so
/// many rounds spread evenly, scaled, if there are more than `sample`.
double exchange_seconds(const net::network& where, const plan::plan& what, std::int64_t sample);

/// Keys that each of `pus` sends to each in the all-to-all exchange of IS, [from * pus + to]: stably sorted by the lower
/// half of their bits. @throws usage_error for a class that there is not
std::vector<std::int32_t> is_exchange_counts(const std::string& letter, int pus);

/// How the last PU's table of counts comes to all others.
enum class table_broadcast : std::uint8_t {
  tree,       ///< a binomial tree of messages
  crossbars,  ///< one step, as switches copy a message to all their outputs (crossbar_broadcast.hpp), as in [Itakura]
};

/// IS: `exec` seconds of ten rankings on one PU, which fall as 1 / P; per ranking the all-to-all of 12 bytes a key, and two
/// tables of counts through prefix sums and a broadcast.
/// @throws usage_error for `crossbars` on a network whose ways from a PU are no tree
prediction predict_is(const net::network& where, const std::string& letter, double exec,
                      table_broadcast how = table_broadcast::tree);

/// FT by two transpositions a transform within the rows and columns of the virtual plane of PUs.
/// @param exec seconds of a PU's share (measure_ft_share)
prediction predict_ft(const net::network& where, const ft_class& problem, double exec);

/// FT by the fixed scheme of [Itakura]: the points stay where they are, and in each of log2 P stages of a transform a PU
/// swaps its whole share with another one.
/// @param exec as of predict_ft: the fixed scheme does the same butterflies, half of them on data from another PU, so
///   this is its least
/// @throws usage_error if the number of PUs is no power of two
prediction predict_ft_fixed(const net::network& where, const ft_class& problem, double exec);

/// CPU seconds that the share of one of `pus` PUs takes on this core: its initial values, its lines in all transforms, with
/// packing for exchanges that are not carried out. Others that want the core do not count; their use of caches does.
double measure_ft_share(const ft_class& problem, int pus);

}  // namespace osteon::studies
