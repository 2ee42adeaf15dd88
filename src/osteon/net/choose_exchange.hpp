#pragma once
/// @file
/// Which schedule an all-to-all exchange should have on a network, by what it costs there.
#include <osteon/net/exchange_cost.hpp>

namespace osteon::net {

struct exchange_choice {
  std::string schedule;  ///< for plan::make_exchange and comm::all_to_all
  exchange_cost cost;
  double seconds = 0;  ///< by which it is ranked
};

/// All-to-all schedules that fit the network, the fastest first: shifts along its dimensions and along the ring of ranks,
/// XOR, pairs, Bruck's, and exchanges inside groups of ranks that are close.
///
/// Rounds with a barrier count as the sum of the busiest links' times; without one as the longest of LogGP's clocks and
/// of any link's whole load, since messages of different rounds then mix. Of two that cost the same, the one with fewer
/// bytes under way, then the one listed first here.
/// @param sizes bytes of the parcels; unequal ones change the order of the schedules
/// @param ranks rank r on PU r, as `places` of simulate if given
/// @throws usage_error if there are more ranks than PUs, or more messages than most_messages_to_count
/// @cost ranks^2 messages, each with its way, for each schedule
std::vector<exchange_choice> choose_exchange(const network& where, const plan::parcel_sizes& sizes, int ranks,
                                             const simulate_options& options = {}, std::span<const int> places = {});

}  // namespace osteon::net
