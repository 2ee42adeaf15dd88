#include <osteon/base/at.hpp>
#include <osteon/machine/probe/link_probe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace osteon::machine {

namespace {

std::optional<class_figures> figures_of(const std::vector<fitted_pair>& pairs, path kind, bool loaded) {
  std::vector<double> latency, bandwidth;
  for (const fitted_pair& p : pairs) {
    if (p.what != kind || p.loaded != loaded || p.alone) continue;
    latency.push_back(p.found.latency_s);
    bandwidth.push_back(p.found.bandwidth);
  }
  if (bandwidth.empty()) return std::nullopt;
  const auto mean_and_deviation = [](const std::vector<double>& values) {
    double mean = 0, square = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) square += (v - mean) * (v - mean) / static_cast<double>(values.size());
    return std::pair{mean, std::sqrt(square)};
  };
  const auto [l, l_deviation] = mean_and_deviation(latency);
  const auto [b, b_deviation] = mean_and_deviation(bandwidth);
  return class_figures{kind,
                       loaded,
                       static_cast<int>(bandwidth.size()),
                       {median(latency), median(bandwidth)},
                       {l, b},
                       {l_deviation, b_deviation}};
}

// Description of groups of hosts. The description is empty if there is only one group.
std::optional<std::string> describe_groups(const verdict& groups, const std::vector<host_sample>& samples, bool loaded) {
  std::vector<int> size(at(groups.clusters), 0);
  for (const int c : groups.cluster_of) ++size[at(c)];
  for (const slow_host& s : groups.hosts) --size[at(groups.cluster_of[at(s.host)])];
  std::vector<int> first;
  for (int c = 0; c < groups.clusters; ++c)
    if (size[at(c)] > 0) first.push_back(c);
  if (first.size() < 2) return std::nullopt;
  std::vector<double> within, across;
  for (const host_sample& s : samples)
    if (s.found.known())
      (groups.cluster_of[at(s.a)] == groups.cluster_of[at(s.b)] ? within : across).push_back(s.found.bandwidth);
  if (within.empty() || across.empty()) return std::nullopt;
  return fmt::format("{}hosts form {} groups of up to {}: {} within a group, {} between groups",
                     loaded ? "under load, " : "", first.size(), *std::max_element(size.begin(), size.end()),
                     rate_text(median(within)), rate_text(median(across)));
}

// Hosts with slower internal links than other hosts with equal trees.
std::vector<slow_inside> slow_inside_hosts(const probe_result& found, const std::vector<int>& host_of_rank,
                                           const probe_options& options) {
  std::vector<slow_inside> slow;
  for (std::size_t c = 0; c < paths_inside; ++c) {
    std::map<int, std::vector<double>> of_host;
    for (const fitted_pair& p : found.pairs)
      if (p.what == all_paths[c] && p.loaded == !options.isolated && p.found.known())
        of_host[host_of_rank[at(p.a)]].push_back(p.found.bandwidth);
    std::map<int, std::vector<double>> of_tree;
    for (auto& [host, values] : of_host) of_tree[found.machine.hosts.tree_of(host)].push_back(median(values));
    for (auto& [host, values] : of_host) {
      const auto& alike = of_tree[found.machine.hosts.tree_of(host)];
      if (alike.size() < 3) continue;
      if (const double usual = median(alike), own = median(values); own < options.slow_below * usual)
        slow.push_back({host, all_paths[c], own, usual});
    }
  }
  return slow;
}

}  // namespace

void merge_repeated(std::vector<host_sample>& samples) {
  std::map<std::pair<int, int>, std::vector<link>> by_pair;
  for (const host_sample& s : samples) by_pair[{s.a, s.b}].push_back(s.found);
  if (by_pair.size() == samples.size()) return;
  samples.clear();
  for (const auto& [pair, links] : by_pair) {
    std::vector<double> latency, bandwidth;
    for (const link& l : links) {
      latency.push_back(l.latency_s);
      bandwidth.push_back(l.bandwidth);
    }
    samples.push_back({pair.first, pair.second, {median(std::move(latency)), median(std::move(bandwidth))}});
  }
}

void conclude(probe_result& result, const samples_between& between, const std::vector<int>& host_of_rank, bool judge_loaded,
              const probe_options& options) {
  const int hosts = result.machine.hosts.size();
  for (const bool loaded : {false, true}) {
    path_speeds seen;
    bool any = !between[loaded].empty();
    for (const path kind : all_paths)
      if (const auto figures = figures_of(result.pairs, kind, loaded)) {
        result.classes.push_back(*figures);
        any = true;
        if (kind != path::inter_host && figures->median.known())
          seen.inside[static_cast<std::size_t>(kind)] = figures->median;
      }
    if (!any) continue;
    if (!between[loaded].empty()) {
      const verdict groups = judge(hosts, between[loaded], options.slow_below);
      seen.between = links_from(hosts, between[loaded], groups);
      if (auto text = describe_groups(groups, between[loaded], loaded)) result.remarks.push_back(std::move(*text));
    }
    (loaded ? result.machine.loaded : result.machine.isolated) = std::move(seen);
  }
  result.judged = judge(hosts, between[judge_loaded], options.slow_below);
  result.inside = slow_inside_hosts(result, host_of_rank, options);
}

const class_figures* probe_result::figures(path kind, bool loaded) const {
  for (const class_figures& c : classes)
    if (c.what == kind && c.loaded == loaded) return &c;
  return nullptr;
}

std::optional<double> probe_result::contention(path kind) const {
  const auto *alone = figures(kind, false), *all = figures(kind, true);
  if (!alone || !all || !alone->median.known()) return std::nullopt;
  if (kind != path::inter_host || !machine.isolated->between.is_dense() || !machine.loaded->between.is_dense())
    return all->median.bandwidth / alone->median.bandwidth;
  const auto &before = machine.isolated->between.values(), &after = machine.loaded->between.values();
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
    ratios.push_back(after[i].bandwidth / before[i].bandwidth);
  return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)));
}

}  // namespace osteon::machine
