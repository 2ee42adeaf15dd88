#pragma once
/// @file
/// Selection, order and duration of measurements between pairs of ranks, and their results; without MPI, on one process.
#include <functional>
#include <osteon/machine/links/fit.hpp>
#include <osteon/machine/links/verdict.hpp>

namespace osteon::machine {

/// Pairs of ranks to measure. The lower rank of a pair leads.
struct measurement {
  std::vector<std::vector<std::pair<int, int>>> rounds;  ///< pairs of a round are disjoint and measured concurrently
  double seconds = 0;         ///< approximate duration of a round; larger sizes while time remains
  std::vector<double> bytes;  ///< sizes, ascending; at least the first two are measured
  int repeats = 0;            ///< maximum number of repetitions of a size
  bool all_sizes = false;     ///< measure every size `repeats` times, without a time limit
  bool fill = false;          ///< repeat the largest size until the time is over, so that all are loaded together
  bool mean = false;          ///< return the mean of the repetitions instead of the median
};

/// Times of one pair.
struct pair_timings {
  int a = 0, b = 0;
  std::vector<timing> times;
};

/// Performs a measurement on all ranks and returns the results of the leaders of pairs, in any order.
using measure_function = std::function<std::vector<pair_timings>(const measurement&)>;

/// Placement of ranks.
struct rank_layout {
  host_list hosts;
  std::vector<std::vector<int>> ranks_of_host;
  std::vector<int> core_of_rank;  ///< -1: not bound, so that link classes inside its host cannot be distinguished
};

struct probe_options {
  bool isolated = true, loaded = true;  ///< one core of a host at a time; all cores concurrently
  fit_method fit = fit_method::robust;
  double budget_s = 10;
  double slow_below = 0.7;      ///< fraction of the usual bandwidth
  int most_dense_hosts = 1024;  ///< with more hosts, each is measured with 2 log2(hosts) others
};

/// Figures of a class of paths: a row of [Ito]'s table 5.
struct class_figures {
  path what = path::same_l3;
  bool loaded = false;
  int pairs = 0;
  link median, mean, deviation;  ///< latency in s, bandwidth in bytes per second
};

/// All measured links by ranks, for other fits.
struct fitted_pair {
  int a = 0, b = 0;  ///< ranks
  path what = path::same_l3;
  bool loaded = false, alone = false;
  link found;
  std::vector<timing> times;
};

/// A host whose cores have slower links to each other than those of the other hosts.
struct slow_inside {
  int host = 0;
  path what = path::same_l3;
  double bandwidth = 0, usual = 0;
};

struct probe_result {
  description machine;
  std::vector<class_figures> classes;
  std::vector<fitted_pair> pairs;
  verdict judged;  ///< verdict on the isolated links, or on the loaded ones if only these were measured
  std::vector<slow_inside> inside;
  std::vector<std::string> remarks;  ///< deviations from the options, and groups of hosts
  double seconds = 0;

  /// None if the class was not measured.
  const class_figures* figures(path what, bool loaded) const;
  /// Ratio of loaded to isolated bandwidth: between hosts the median of the ratios of pairs, inside hosts the ratio of
  /// medians. None if either was not measured.
  std::optional<double> contention(path what) const;
  bool fine() const { return judged.fine() && inside.empty(); }
};

/// Measure and judge within the budget.
/// @param seconds_now clock
/// @throws usage_error if options contradict the layout
probe_result probe_links(const rank_layout& ranks, const probe_options& options, const measure_function& measure,
                         const std::function<double()>& seconds_now);

/// Measurements between hosts.
struct samples_between {
  std::vector<host_sample> isolated, loaded;
  std::vector<host_sample>& operator[](bool is_loaded) { return is_loaded ? loaded : isolated; }
  const std::vector<host_sample>& operator[](bool is_loaded) const { return is_loaded ? loaded : isolated; }
};

/// A pair measured by several cores counts once, with their median.
void merge_repeated(std::vector<host_sample>& samples);

/// Complete a result with hosts and pairs by figures, links of the machine, verdicts, and remarks about groups.
/// @param host_of_rank by rank @param judge_loaded judge hosts by the links under load
void conclude(probe_result& result, const samples_between& between, const std::vector<int>& host_of_rank, bool judge_loaded,
              const probe_options& options);

}  // namespace osteon::machine
