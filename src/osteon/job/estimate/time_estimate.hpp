#pragma once
/// @file
/// Time estimates of the stages of a job. The estimates use measured constants of computation, and the plans of the job on a
/// network.
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

/// Wall seconds of a stage, by cause.
struct stage_time {
  std::string stage;
  double compute = 0;    ///< at the speed of a single active core
  double memory = 0;     ///< additional time because all cores of a host share the memory
  double latency = 0;    ///< time of messages without the transfer of their bytes
  double bandwidth = 0;  ///< additional time due to the bytes of messages
  double seconds() const { return compute + memory + latency + bandwidth; }
  /// Name of the largest part: compute, memory bandwidth, latency, network bandwidth.
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
  std::string network, costs;      ///< descriptions
  std::vector<stage_time> stages;  ///< import, start, reading, set up, load, iterations, writing, picture, report
  double iterations = 0;
  stage_time iteration;                 ///< a single iteration
  std::vector<plan_time> of_iteration;  ///< messages of an iteration
  double error = 0;                     ///< relative error of the sum; the errors of the parts are treated as independent
  std::vector<rank_point> scaling;      ///< ascending ranks, including the requested number
  int stops_paying_at = 0;  ///< smallest number of ranks whose doubling saves less than a tenth of the time; 0: larger than
                            ///< all numbers of `scaling`
  std::vector<std::string> assumed;  ///< assumptions, as sentences

  double seconds() const;
  /// Seconds of set-up, loads and iterations; and CPU seconds of all ranks in these stages.
  double solving_seconds() const;
  double solving_cpu_seconds() const;
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// Input of a time estimate.
struct time_question {
  stage_costs costs;
  std::optional<plan_image> image;     ///< none: the plans are not known
  std::optional<plan_image> of_asked;  ///< image for the requested number of ranks; none: same as image
  std::function<rank_network(int ranks)> network;
  std::vector<std::string> assumed;  ///< assumptions of the caller
  plan_limits limits;
  bool scales = true;  ///< also estimate other numbers of ranks
};

/// @throws usage_error if there are more ranks than planes or voxels @collective local, with MPI as for plans_of_job
time_estimate estimate_time(const spec& job, const job_size& size, int ranks, const time_question& question);

}  // namespace osteon::job
