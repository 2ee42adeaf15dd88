#pragma once
/// @file
/// Selection of a plan. The model ranks the candidates. The caller measures frames of the best candidates, and `choose`
/// selects the fastest plan. All-to-all exchanges are selected by their cost on a network, without measurement.
#include <osteon/net/costs/plan_cost.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::net {

constexpr std::size_t plans_to_try = 3;
constexpr int frames_to_try = 2;  ///< number of measured frames; the first frame is a warm-up, and the shorter time is used

struct ranked_plan {
  std::size_t candidate = 0;  ///< index of the candidate
  plan_cost cost;
};

/// Sort plans by ascending cost (stable).
/// @throws usage_error in the cases of `cost_of`
std::vector<ranked_plan> rank_plans(std::span<const plan::plan> candidates, const compositing_machine& machine,
                                    double bytes_per_element);

/// A measured plan.
struct trial {
  std::string name;
  double predicted = 0;          ///< predicted time of a frame in s
  std::vector<double> measured;  ///< time of each frame on the slowest rank in s; equal on all ranks
};

struct choice {
  std::size_t winner = 0;  ///< index of the fastest trial
  std::string log;         ///< one line for every trial, with predicted and measured times
};

/// Select the plan with the shortest measured frame. If several plans are equally fast, the first of these plans is
/// selected. Ranks with equal trials select the same plan.
/// @throws usage_error if there are no trials, if a trial has no frames, or if the time of a frame is not positive
choice choose(std::span<const trial> trials);

struct exchange_choice {
  std::string schedule;  ///< argument of plan::make_exchange and comm::all_to_all
  plan_cost cost;
  double seconds = 0;  ///< time that determines the rank of the schedule
};

/// Sort all-to-all schedules for the network by ascending time. Candidates are shifts along the dimensions of the network,
/// shifts along the ring of ranks, XOR, pairwise, Bruck, and exchanges inside groups of close ranks.
///
/// With barriers, the time is a sum over rounds. The summand of a round is the busy time of the busiest link in the round.
/// Without barriers, messages of different rounds overlap. In this case, the time is the maximum of the LogGP clocks and of
/// the total busy time of each link. Schedules with equal time are sorted by bytes in flight, and then in the order of the
/// list above.
/// @param sizes size of each parcel in bytes
/// @param places PU of each rank, as in `simulate`; empty: rank r is on PU r
/// @throws usage_error if there are more ranks than PUs, or more than most_messages_to_count messages
/// @cost for each schedule, the routes of ranks^2 messages
std::vector<exchange_choice> choose_exchange(const network& net, const plan::parcel_sizes& sizes, int ranks,
                                             const simulate_options& options = {}, std::span<const int> places = {});

}  // namespace osteon::net
