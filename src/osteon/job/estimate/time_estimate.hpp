#pragma once
/// @file
/// Time estimates of the stages of a job. The estimates use measured constants of the computation, and the plans of the job
/// on a network.
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/job/estimate/plans_at_scale.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <osteon/job/plans/message_times.hpp>
#include <osteon/job/plans/rank_network.hpp>
#include <osteon/job/stage_costs.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Wall time of a stage in seconds, divided by causes.
struct stage_time {
  std::string stage;
  double compute = 0;    ///< time of computation at the speed of a single active core
  double memory = 0;     ///< additional time, because all cores of a host use the same memory
  double latency = 0;    ///< time of messages without the transfer time of their bytes
  double bandwidth = 0;  ///< additional time for the transfer of the bytes
  double seconds() const { return compute + memory + latency + bandwidth; }
  /// Name of the largest part: compute, memory bandwidth, latency or network bandwidth.
  std::string limit() const;
};

/// Times of the same job on another number of ranks.
struct rank_point {
  int ranks = 0;
  double seconds = 0, iteration_seconds = 0;
  std::string limit;
};

struct time_estimate {
  int ranks = 1, hosts = 1, threads = 1;
  std::string network, costs;      ///< descriptions of the network and of the constants
  std::vector<stage_time> stages;  ///< import, start, reading, set-up, load, iterations, writing, picture, report
  double iterations = 0;
  stage_time iteration;                 ///< time of a single iteration
  std::vector<plan_time> of_iteration;  ///< times of the messages of an iteration
  double error = 0;                     ///< relative error of the sum; the errors of the parts are assumed to be independent
  std::vector<rank_point> scaling;      ///< times for ascending numbers of ranks, including the requested number
  /// smallest number of ranks for which twice as many ranks reduce the time by less than a tenth; 0: larger than all numbers
  /// of `scaling`
  int stops_paying_at = 0;
  std::vector<std::string> assumed;  ///< assumptions as sentences

  double seconds() const;
  /// Wall time in seconds of set-up, loads and iterations, and CPU time of all ranks in these stages.
  double solving_seconds() const;
  double solving_cpu_seconds() const;
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// Input of a time estimate.
struct time_question {
  stage_costs costs;
  std::optional<plan_image> image;     ///< empty: the plans are unknown
  std::optional<plan_image> of_asked;  ///< image for the requested number of ranks; empty: `image`
  std::function<rank_network(int ranks)> network;
  std::vector<std::string> assumed;  ///< assumptions of the caller
  plan_limits limits;
  bool scales = true;  ///< true: also estimate other numbers of ranks
};

/// @throws usage_error if there are more ranks than planes or voxels @collective local, with MPI as in plans_of_job
time_estimate estimate_time(const spec& job, const job_size& size, int ranks, const time_question& question);

}  // namespace osteon::job
