#pragma once
/// @file
/// What the messages of a job's plans take on a network.
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/job/plans/rank_network.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// All runs of one plan in one turn of its part.
struct plan_time {
  std::string plan;
  std::int64_t runs = 0, messages = 0, bytes = 0;
  double seconds = 0;          ///< until the last rank is done
  double latency_seconds = 0;  ///< of these, what messages without bytes would take
  bool simulated = false;      ///< otherwise by formulas: LogGP, and the busiest link of each round
};

struct part_time {
  std::string part;  ///< as in job_plans
  double seconds = 0, latency_seconds = 0;
  std::vector<plan_time> plans;
};

/// Messages of a plan up to which it is simulated, link by link.
constexpr std::int64_t most_messages_to_simulate = 20000;

/// Of one plan by itself, all ranks beginning at once.
plan_time time_of(const comm::plan_traffic& traffic, const rank_network& on);

/// Cost each plan by itself, all ranks beginning at once; one after the other, so nothing is hidden behind computing.
/// @pre the plans have as many ranks as the network
std::vector<part_time> times_of(const job_plans& plans, const rank_network& on);

}  // namespace osteon::job
