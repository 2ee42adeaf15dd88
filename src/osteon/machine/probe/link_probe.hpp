#pragma once
/// @file
/// Selection, order and duration of measurements between pairs of ranks, and results of these measurements. The code runs on
/// one process, without MPI.
#include <functional>
#include <osteon/machine/links/fit.hpp>
#include <osteon/machine/links/verdict.hpp>

namespace osteon::machine {

/// Pairs of ranks to measure. The lower rank of a pair controls the measurement.
struct measurement {
  std::vector<std::vector<std::pair<int, int>>> rounds;  ///< the pairs of a round are disjoint and are measured concurrently
  double seconds = 0;                                    ///< approximate duration of a round; limits the number of sizes
  std::vector<double> bytes;                             ///< message sizes, ascending; at least the first two are measured
  int repeats = 0;                                       ///< maximum number of repetitions of a size
  bool all_sizes = false;                                ///< measure every size `repeats` times, without a time limit
  bool fill = false;  ///< repeat the largest size until the end of the round, so that all pairs load the network
  bool mean = false;  ///< return the mean of the repetitions instead of the median
};

/// Timings of one pair.
struct pair_timings {
  int a = 0, b = 0;
  std::vector<timing> times;
};

/// Performs a measurement on all ranks and returns the timings of all pairs in any order.
using measure_function = std::function<std::vector<pair_timings>(const measurement&)>;

/// Placement of ranks.
struct rank_layout {
  host_list hosts;
  std::vector<std::vector<int>> ranks_of_host;
  std::vector<int>
      core_of_rank;  ///< core of each rank; -1: not bound; in this case, path classes inside the host are unknown
};

struct probe_options {
  /// Isolated: measure one core per host at a time; loaded: measure all cores concurrently.
  bool isolated = true, loaded = true;
  fit_method fit = fit_method::robust;
  double budget_s = 10;
  double slow_below = 0.7;      ///< fraction of the median bandwidth below which a link or host is slow
  int most_dense_hosts = 1024;  ///< for more hosts, each host is measured with about 2 log2(hosts) other hosts
};

/// Statistics of a path class: a row of table 5 in [Ito].
struct class_figures {
  path what = path::same_l3;
  bool loaded = false;
  int pairs = 0;
  link median, mean, deviation;  ///< latency in s, bandwidth in bytes per second
};

/// A measured link between two ranks, with its timings for other fits.
struct fitted_pair {
  int a = 0, b = 0;  ///< ranks
  path what = path::same_l3;
  bool loaded = false, alone = false;
  link found;
  std::vector<timing> times;
};

/// A host with slower internal links than the other hosts.
struct slow_inside {
  int host = 0;
  path what = path::same_l3;
  double bandwidth = 0, usual = 0;
};

struct probe_result {
  description machine;
  std::vector<class_figures> classes;
  std::vector<fitted_pair> pairs;
  verdict judged;  ///< verdict on the isolated links, or on the loaded links if only loaded links were measured
  std::vector<slow_inside> inside;
  std::vector<std::string> remarks;  ///< messages about deviations from the options, and about groups of hosts
  double seconds = 0;

  /// Statistics of a path class; null if the class was not measured.
  const class_figures* figures(path kind, bool loaded) const;
  /// Ratio of loaded to isolated bandwidth. Between hosts, the result is the median of the ratios of pairs. Inside hosts,
  /// the result is the ratio of the medians. The result is empty unless isolated and loaded links were measured.
  std::optional<double> contention(path kind) const;
  bool fine() const { return judged.fine() && inside.empty(); }
};

/// Measure links within the time budget, and detect slow hosts and links.
/// @param seconds_now clock in s
/// @throws usage_error if options contradict the layout
probe_result probe_links(const rank_layout& ranks, const probe_options& options, const measure_function& measure,
                         const std::function<double()>& seconds_now);

/// Measurements between hosts.
struct samples_between {
  std::vector<host_sample> isolated, loaded;
  std::vector<host_sample>& operator[](bool is_loaded) { return is_loaded ? loaded : isolated; }
  const std::vector<host_sample>& operator[](bool is_loaded) const { return is_loaded ? loaded : isolated; }
};

/// Replace several samples of a pair of hosts by their median.
void merge_repeated(std::vector<host_sample>& samples);

/// Complete a result that contains hosts and pairs: add statistics, links of the machine, verdicts, and remarks about
/// groups.
/// @param host_of_rank host of each rank @param judge_loaded judge hosts by the links under load
void conclude(probe_result& result, const samples_between& between, const std::vector<int>& host_of_rank, bool judge_loaded,
              const probe_options& options);

}  // namespace osteon::machine
