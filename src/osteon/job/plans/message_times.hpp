#pragma once
/// @file
/// Times of the messages of a job's plans on a network.
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/job/plans/rank_network.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// All runs of one plan in one repetition of its part.
struct plan_time {
  std::string plan;
  std::int64_t runs = 0, messages = 0, bytes = 0;
  double seconds = 0;          ///< time at which the last rank has finished
  double latency_seconds = 0;  ///< time of the messages without the transfer time of their bytes
  bool simulated = false;      ///< false: the times result from formulas (LogGP, and the busiest link of each round)
};

struct part_time {
  std::string part;  ///< name of the part in the job_plans
  double seconds = 0, latency_seconds = 0;
  std::vector<plan_time> plans;
};

/// Maximum number of messages of a plan that is simulated link by link.
constexpr std::int64_t most_messages_to_simulate = 20000;

/// Time of a single plan. All ranks start simultaneously.
plan_time time_of(const comm::plan_traffic& traffic, const rank_network& on);

/// Time of each plan. In each plan, all ranks start simultaneously. Plans are executed one after another, and do not overlap
/// with computation.
/// @pre the plans have the same number of ranks as the network
std::vector<part_time> times_of(const job_plans& plans, const rank_network& on);

}  // namespace osteon::job
