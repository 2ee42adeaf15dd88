#pragma once
/// @file
/// Selection of a plan. The model ranks the candidates, the caller measures frames of the best few candidates, and `choose`
/// selects the fastest plan. All-to-all exchanges are selected by their cost on a network.
#include <osteon/net/costs/plan_cost.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::net {

constexpr std::size_t plans_to_try = 3;
constexpr int frames_to_try = 2;  ///< number of measured frames; the first frame warms up, and the shorter time is used

struct ranked_plan {
  std::size_t candidate = 0;  ///< index into the candidates
  plan_cost cost;
};

/// Sort plans by ascending cost (stable).
/// @throws usage_error as `cost_of`
std::vector<ranked_plan> rank_plans(std::span<const plan::plan> candidates, const compositing_machine& machine,
                                    double bytes_per_element);

/// A measured plan.
struct trial {
  std::string name;
  double predicted = 0;          ///< predicted time in s per frame
  std::vector<double> measured;  ///< time in s of each frame on the slowest rank; equal on all ranks
};

struct choice {
  std::size_t winner = 0;  ///< index into the trials
  std::string log;         ///< one line with the predicted and measured time of every trial
};

/// Select the plan with the shortest measured frame, or the first one of several equal plans. Ranks with equal trials select
/// the same plan.
/// @throws usage_error if there is no trial, a trial has no frame, or a frame time is not positive
choice choose(std::span<const trial> trials);

struct exchange_choice {
  std::string schedule;  ///< argument of plan::make_exchange and comm::all_to_all
  plan_cost cost;
  double seconds = 0;  ///< time used for the ranking
};

/// Rank all-to-all schedules for the network, fastest first. Candidates are shifts along the dimensions of the network and
/// along the ring of ranks, XOR, pairwise, Bruck, and exchanges inside groups of close ranks.
///
/// With barriers, the time is the sum over rounds of the busy time of the busiest link. Without barriers, messages of
/// different rounds overlap. In this case, the time is the maximum of the LogGP clocks and of the total busy time of any
/// link. Schedules of equal time are sorted by bytes in flight, and then in the order listed above.
/// @param sizes bytes of the parcels
/// @param places PU of each rank, as in `simulate`; empty: rank r is on PU r
/// @throws usage_error if there are more ranks than PUs, or more than most_messages_to_count messages
/// @cost computes the routes of ranks^2 messages for each schedule
std::vector<exchange_choice> choose_exchange(const network& net, const plan::parcel_sizes& sizes, int ranks,
                                             const simulate_options& options = {}, std::span<const int> places = {});

}  // namespace osteon::net
