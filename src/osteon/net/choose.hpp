#pragma once
/// @file
/// Choosing a plan: the model ranks the candidates, the best few are tried, the fastest is kept. The caller runs
/// and times the frames.
#include <osteon/net/plan_cost.hpp>
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

/// Order plans by cost, cheapest first; equal ones stay in the order given.
/// @throws usage_error as `cost_of`
std::vector<ranked_plan> rank_plans(std::span<const plan::plan> candidates, const compositing_machine& machine,
                                    double bytes_per_element);

/// A plan that was tried.
struct trial {
  std::string name;
  double predicted = 0;          ///< s a frame
  std::vector<double> measured;  ///< s of each frame, the slowest rank's; alike on all ranks
};

struct choice {
  std::size_t winner = 0;  ///< index into the trials
  std::string log;         ///< one line: every plan that was tried, predicted and measured
};

/// Keep the plan of the shortest frame; of equal ones the one that comes first.
/// Ranks that pass the same trials make the same choice.
/// @throws usage_error without trials, or if one has no frame of a positive time
choice choose(std::span<const trial> trials);

}  // namespace osteon::net
