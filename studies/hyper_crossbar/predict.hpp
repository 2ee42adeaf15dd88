#pragma once
/// @file
/// The question of [Itakura]: the time of IS and FT on a number of PUs of a network. A PU is assumed to compute as fast as a
/// core of this machine.
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <studies/hyper_crossbar/ft.hpp>

namespace osteon::studies {

/// Times of one program on one machine. Computing and transfers do not overlap, as in [Itakura].
struct prediction {
  std::string network;
  int pus = 0;
  double exec = 0, trans = 0;
  std::int64_t rounds = 0;   ///< number of rounds of messages, in sequence
  double message_bytes = 0;  ///< mean size of the messages of the largest exchange
  double total() const { return exec + trans; }
};

/// The text of a network of this family with `pus` PUs. A text that describes a complete network is returned unchanged.
///
/// `hxb`, `torus` and `mesh` have three sizes, which are powers of two and as equal as possible. `fattree` has 16 PUs per
/// leaf and 16 children per level. `dragonfly` has 4 PUs per router and 8 routers per group; above 1024 PUs, it has 8 PUs
/// per router and 16 routers per group. Options may follow the family: `torus,rate=10GB/s`.
/// @throws usage_error for another family, or a number of PUs that is not a power of two from 64 to 2^16
std::string network_of_family(const std::string& text, int pus);

/// Time of all rounds in s. The time of each round consists of the busy time of its busiest link and the start-up of its
/// messages (net::plan_cost). If there are more than `sample` rounds, the time is scaled from a sample of evenly spaced
/// rounds.
double exchange_seconds(const net::network& where, const plan::plan& plan, std::int64_t sample);

/// Numbers of keys that the PUs send to each other in the all-to-all exchange of IS, at [from * pus + to]. The keys are
/// stably sorted by the lower half of their bits. @throws usage_error for an unknown class
std::vector<std::int32_t> is_exchange_counts(const std::string& letter, int pus);

/// Broadcast of the table of counts of the last PU.
enum class table_broadcast : std::uint8_t {
  tree,       ///< a binomial tree of messages
  crossbars,  ///< one step as in [Itakura], in which switches copy a message to all their outputs (crossbar_broadcast.hpp)
};

/// Prediction of IS. The computing time is `exec` seconds of ten rankings on one PU, which decrease as 1 / P. Each ranking
/// includes an all-to-all of 12 bytes per key, and prefix sums and a broadcast for two tables of counts.
/// @throws usage_error for `crossbars` if the routes from a PU of the network are not a tree
prediction predict_is(const net::network& where, const std::string& letter, double exec,
                      table_broadcast broadcast = table_broadcast::tree);

/// Prediction of FT by two transpositions per transform, within the rows and columns of the virtual plane of PUs.
/// @param exec computing time of the part of a PU in s (measure_ft_share)
prediction predict_ft(const net::network& where, const ft_class& problem, double exec);

/// Prediction of FT by the fixed scheme of [Itakura]. Points are not redistributed. In each of the log2 P stages of a
/// transform, a PU exchanges its complete part with another PU.
/// @param exec as for predict_ft. The fixed scheme has the same butterflies as predict_ft, but half of the butterflies use
/// data from another PU. Therefore the time is a lower bound
/// @throws usage_error if the number of PUs is not a power of two
prediction predict_ft_fixed(const net::network& where, const ft_class& problem, double exec);

/// CPU seconds on this core for the part of one of `pus` PUs. The part consists of initial values and the lines in all
/// transforms, with packing for exchanges. The exchanges are not executed. Other load of the core is not included, except
/// for its effect on the caches.
double measure_ft_share(const ft_class& problem, int pus);

}  // namespace osteon::studies
