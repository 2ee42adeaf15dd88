#pragma once
/// @file
/// Prediction of the time of IS and FT on a number of PUs of a network, which is the question of [Itakura]. A PU is assumed
/// to compute as fast as a core of this machine.
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <studies/hyper_crossbar/ft.hpp>

namespace osteon::studies {

/// Times of one program on one machine. Computing and transfers do not overlap in time, as in [Itakura].
struct prediction {
  std::string network;
  int pus = 0;
  double exec = 0, trans = 0;
  std::int64_t rounds = 0;   ///< number of consecutive rounds of messages
  double message_bytes = 0;  ///< mean size in bytes of the messages of the largest exchange
  double total() const { return exec + trans; }
};

/// The text that describes a network of this family with `pus` PUs. A text that describes a complete network is returned
/// unchanged.
///
/// `hxb`, `torus` and `mesh` have three sizes, which are powers of two and as equal as possible. `fattree` has 16 PUs per
/// leaf and 16 children per level. `dragonfly` has 4 PUs per router and 8 routers per group. For more than 1024 PUs,
/// `dragonfly` has 8 PUs per router and 16 routers per group. Options may follow the name of the family, as in
/// `torus,rate=10GB/s`.
/// @throws usage_error for another family, or for a number of PUs that is not a power of two from 64 to 2^16
std::string network_of_family(const std::string& text, int pus);

/// Time of all rounds in s. The time of a round is the sum of the busy time of its busiest link and the start-up of its
/// messages (net::plan_cost). If there are more than `sample` rounds, the time is extrapolated from a sample of evenly
/// spaced rounds.
double exchange_seconds(const net::network& where, const plan::plan& plan, std::int64_t sample);

/// Numbers of keys that the PUs send to each other in the all-to-all exchange of IS. The number for a pair is at [from * pus
/// + to]. The keys are stably sorted by the lower half of their bits. @throws usage_error for an unknown class
std::vector<std::int32_t> is_exchange_counts(const std::string& letter, int pus);

/// Method for the broadcast of the table of counts of the last PU.
enum class table_broadcast : std::uint8_t {
  tree,       ///< a binomial tree of messages
  crossbars,  ///< one step as in [Itakura]; switches copy a message to all their outputs (crossbar_broadcast.hpp)
};

/// Predict the time of IS. The computing time of ten rankings on one PU is `exec` seconds. This time decreases as 1 / P.
/// Each ranking includes an all-to-all exchange of 12 bytes per key. In addition, each ranking includes prefix sums and a
/// broadcast of two tables of counts.
/// @throws usage_error for `crossbars`, if the routes from a PU of the network do not form a tree
prediction predict_is(const net::network& where, const std::string& letter, double exec,
                      table_broadcast broadcast = table_broadcast::tree);

/// Predict the time of FT. Each transform has two transpositions, within the rows and columns of the virtual plane of PUs.
/// @param exec computing time in s for the part of one PU (measure_ft_share)
prediction predict_ft(const net::network& where, const ft_class& problem, double exec);

/// Predict the time of FT with the fixed scheme of [Itakura]. Points are not redistributed. A transform has log2 P stages.
/// In each stage, a PU exchanges its complete part with another PU.
/// @param exec computing time in s for the part of one PU (measure_ft_share). The fixed scheme has the butterflies of
/// predict_ft, but half of the butterflies use data from another PU. The time is therefore a lower bound
/// @throws usage_error if the number of PUs is not a power of two
prediction predict_ft_fixed(const net::network& where, const ft_class& problem, double exec);

/// Measure the CPU seconds on this core for the part of one of `pus` PUs. The part consists of initial values, and of the
/// lines in all transforms with packing for exchanges. The exchanges are not executed. The CPU time excludes other load of
/// the core. Other load affects the result only by its effect on the caches.
double measure_ft_share(const ft_class& problem, int pus);

}  // namespace osteon::studies
