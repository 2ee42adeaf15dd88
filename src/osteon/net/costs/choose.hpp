#pragma once
/// @file
/// Selection of a plan: the model ranks the candidates, the best few are measured, the fastest is selected. The caller runs
/// and times the frames. All-to-all exchanges are selected by their cost on a network.
#include <osteon/net/costs/plan_cost.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::net {

constexpr std::size_t plans_to_try = 3;
constexpr int frames_to_try = 2;  ///< the first of them warms up; the better one counts

struct ranked_plan {
  std::size_t candidate = 0;  ///< index into the candidates
  plan_cost cost;
};

/// Order plans by ascending cost; the order of equal ones is preserved.
/// @throws usage_error as `cost_of`
std::vector<ranked_plan> rank_plans(std::span<const plan::plan> candidates, const compositing_machine& machine,
                                    double bytes_per_element);

/// A plan that was tried.
struct trial {
  std::string name;
  double predicted = 0;          ///< s a frame
  std::vector<double> measured;  ///< s of each frame on the slowest rank; equal on all ranks
};

struct choice {
  std::size_t winner = 0;  ///< index into the trials
  std::string log;         ///< one line: every plan that was tried, predicted and measured
};

/// Select the plan of the shortest frame; of equal ones the first. Ranks with the same trials make the same choice.
/// @throws usage_error without trials, or if one has no frame of a positive time
choice choose(std::span<const trial> trials);

struct exchange_choice {
  std::string schedule;  ///< for plan::make_exchange and comm::all_to_all
  plan_cost cost;
  double seconds = 0;  ///< time by which it is ranked
};

/// All-to-all schedules for the network, the fastest first: shifts along its dimensions and along the ring of ranks, XOR,
/// pairs, Bruck's, and exchanges inside groups of close ranks.
///
/// Rounds with a barrier count as the sum of the busiest links' times; without one as the maximum of the LogGP clocks and of
/// any link's total load, since messages of different rounds then overlap. Of equal costs, the one with fewer bytes in
/// flight precedes, then the one listed first here.
/// @param sizes bytes of the parcels; unequal ones change the order of the schedules
/// @param ranks rank r on PU r, as `places` of simulate if given
/// @throws usage_error if there are more ranks than PUs, or more messages than most_messages_to_count
/// @cost ranks^2 messages with their routes, for each schedule
std::vector<exchange_choice> choose_exchange(const network& where, const plan::parcel_sizes& sizes, int ranks,
                                             const simulate_options& options = {}, std::span<const int> places = {});

}  // namespace osteon::net
