#include <osteon/machine/probe/core_choice.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>

namespace osteon::machine {

namespace {

constexpr int most_ranks_of_a_host = 16, sweeps = 2;
constexpr std::array sizes_of_ways = {64.0, 65536.0, 131072.0, 262144.0, 524288.0, 1048576.0, 2097152.0, 4194304.0};

std::vector<int> spread(const std::vector<int>& ranks) {
  const int count = static_cast<int>(ranks.size()), taken = std::min(count, most_ranks_of_a_host);
  std::vector<int> result;
  for (int i = 0; i < taken; ++i) result.push_back(ranks[at(i * count / taken)]);
  return result;
}

}  // namespace

core_choice probe_core_choice(const rank_layout& ranks, const measure_function& measure, double budget_s,
                              const std::function<double()>& seconds_now) {
  if (ranks.hosts.size() < 2)
    throw usage_error(
        fmt::format("{} host: which core measures a link between hosts can be told from two hosts on; start ranks on two",
                    ranks.hosts.size()));
  core_choice result;
  result.host_a = 0, result.host_b = 1;
  result.ranks_a = spread(ranks.ranks_of_host[0]);
  result.ranks_b = spread(ranks.ranks_of_host[1]);
  const std::size_t ways = result.ranks_a.size() * result.ranks_b.size();
  const double begin = seconds_now();
  std::vector<std::vector<link>> found(ways);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 0; i < ways; ++i) {
      const double left = budget_s - (seconds_now() - begin);
      if (left <= 0) {
        result.complete = false;
        break;
      }
      measurement m;
      m.rounds = {{{result.ranks_a[i / result.ranks_b.size()], result.ranks_b[i % result.ranks_b.size()]}}};
      if (m.rounds[0][0].first > m.rounds[0][0].second) std::swap(m.rounds[0][0].first, m.rounds[0][0].second);
      m.seconds = std::min(left / static_cast<double>(ways * sweeps - (at(sweep) * ways + i)), 0.5);
      m.bytes.assign(sizes_of_ways.begin(), sizes_of_ways.end());
      m.repeats = 15;
      for (const pair_timings& p : measure(m))
        if (!p.times.empty()) found[i].push_back(fit_robust(p.times));
    }
  std::vector<double> rates;
  double of_repeats = 0;
  int repeated = 0;
  for (const std::vector<link>& way : found) {
    link mean;
    for (const link& l : way) {
      mean.bandwidth += l.bandwidth / static_cast<double>(way.size());
      mean.latency_s += l.latency_s / static_cast<double>(way.size());
    }
    result.ways.push_back(mean);
    if (!way.empty()) rates.push_back(mean.bandwidth);
    if (way.size() == sweeps) {
      const double apart = way[0].bandwidth - way[1].bandwidth;
      of_repeats += apart * apart / 2;  // the variance of one of the two
      ++repeated;
    }
  }
  if (rates.empty()) return result;
  result.usual = median(rates);
  double mean = 0, square = 0;
  for (const double r : rates) mean += r / static_cast<double>(rates.size());
  for (const double r : rates) square += (r - mean) * (r - mean);
  if (rates.size() > 1) result.between_ways = std::sqrt(square / static_cast<double>(rates.size() - 1)) / result.usual;
  // A way is the mean of its two measurements.
  if (repeated > 0) result.same_way = std::sqrt(of_repeats / repeated / sweeps) / result.usual;
  return result;
}

}  // namespace osteon::machine
