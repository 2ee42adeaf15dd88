#pragma once
/// @file
/// What a job takes, stage by stage: measured constants of compute, and its own plans on a network.
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

/// Wall seconds of a stage, and what they are.
struct stage_time {
  std::string stage;
  double compute = 0;    ///< as fast as a core alone computes
  double memory = 0;     ///< what it takes longer as all cores of a host use its memory
  double latency = 0;    ///< messages, if they had no bytes
  double bandwidth = 0;  ///< what their bytes add
  double seconds() const { return compute + memory + latency + bandwidth; }
  /// The name of the largest of the four: compute, memory bandwidth, latency, network bandwidth.
  std::string limit() const;
};

/// The same job on another number of ranks.
struct rank_point {
  int ranks = 0;
  double seconds = 0, iteration_seconds = 0;
  std::string limit;
};

struct time_estimate {
  int ranks = 1, hosts = 1, threads = 1;
  std::string network, costs;      ///< in words
  std::vector<stage_time> stages;  ///< import, start, reading, set up, load, iterations, writing, picture, report
  double iterations = 0;
  stage_time iteration;                 ///< one of them
  std::vector<plan_time> of_iteration;  ///< its messages
  double error = 0;                     ///< relative, of the sum: what its parts are off by, as independent
  std::vector<rank_point> scaling;      ///< ascending ranks, the asked ones among them
  int stops_paying_at = 0;           ///< ranks from which twice as many save less than a tenth; 0: beyond those of `scaling`
  std::vector<std::string> assumed;  ///< in sentences

  double seconds() const;
  /// Of set-up, loads and iterations; and CPU seconds of all ranks in these.
  double solving_seconds() const;
  double solving_cpu_seconds() const;
  nlohmann::ordered_json to_json() const;
  std::string to_text() const;
};

/// What a time is estimated from.
struct time_question {
  stage_costs costs;
  std::optional<plan_image> image;     ///< none: the plans are not known
  std::optional<plan_image> of_asked;  ///< for the number of ranks that is asked; none: image, too
  std::function<rank_network(int ranks)> network;
  std::vector<std::string> assumed;  ///< what those who ask know
  plan_limits limits;
  bool scales = true;  ///< other numbers of ranks, too
};

/// @throws usage_error if there are more ranks than planes or voxels @collective local, with MPI as for plans_of_job
time_estimate estimate_time(const spec& job, const job_size& size, int ranks, const time_question& question);

}  // namespace osteon::job
