#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <osteon/base/at.hpp>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/kth_smallest.hpp>
#include <osteon/machine/links/fit.hpp>
#include <osteon/machine/links/verdict.hpp>

namespace osteon::machine {

namespace {

// Bandwidths of all links of a host, and of its individually measured links.
struct abilities {
  std::vector<double> all, alone;
};

double upper_median(const std::vector<double>& values) { return kth_smallest(values, values.size() / 2); }

// Bandwidth reached by a fiftieth of the links, and by at least one link. A small fraction of the links is used because
// hosts behind a slow uplink are fast only within their group.
double best_few(const std::vector<double>& values) { return kth_smallest(values, (values.size() - 1) - values.size() / 50); }

std::pair<int, int> clusters_of(const verdict& judged, const host_sample& s) {
  return std::minmax({judged.cluster_of[at(s.a)], judged.cluster_of[at(s.b)]});
}

std::map<std::pair<int, int>, std::vector<const host_sample*>> by_clusters(const verdict& judged,
                                                                           const std::vector<host_sample>& samples) {
  std::map<std::pair<int, int>, std::vector<const host_sample*>> groups;
  for (const host_sample& s : samples)
    if (s.found.known()) groups[clusters_of(judged, s)].push_back(&s);
  return groups;
}

link median_of(const std::vector<const host_sample*>& group) {
  std::vector<double> latency, bandwidth;
  for (const host_sample* s : group) {
    latency.push_back(s->found.latency_s);
    bandwidth.push_back(s->found.bandwidth);
  }
  return {median(std::move(latency)), median(std::move(bandwidth))};
}

}  // namespace

verdict judge(int hosts, const std::vector<host_sample>& samples, double slow_below) {
  verdict result;
  std::vector<abilities> of(at(hosts));
  for (const host_sample& s : samples) {
    if (!s.found.known()) continue;
    for (const int host : {s.a, s.b}) {
      of[at(host)].all.push_back(s.found.bandwidth);
      if (s.alone) of[at(host)].alone.push_back(s.found.bandwidth);
    }
  }
  std::vector<double> ability(at(hosts), 0), known;
  for (int h = 0; h < hosts; ++h) {
    if (of[at(h)].all.empty()) continue;
    ability[at(h)] = best_few(of[at(h)].all);
    known.push_back(ability[at(h)]);
  }
  const double usual = known.empty() ? 0 : upper_median(known);
  std::vector<bool> slow(at(hosts), false);
  if (hosts > 2)
    for (int h = 0; h < hosts; ++h) {
      const abilities& own = of[at(h)];
      if (own.all.empty() || ability[at(h)] >= slow_below * usual) continue;
      if (!own.alone.empty() && best_few(own.alone) >= slow_below * usual) continue;
      slow[at(h)] = true;
      result.hosts.push_back({h, median(own.all), usual, static_cast<int>(own.all.size())});
    }

  disjoint_sets joined(at(hosts));
  for (const host_sample& s : samples) {
    const auto [low, high] = std::minmax({ability[at(s.a)], ability[at(s.b)]});
    if (s.found.known() && low >= slow_below * high && s.found.bandwidth >= slow_below * low) joined.unite(s.a, s.b);
  }
  std::map<int, int> number;
  for (int h = 0; h < hosts; ++h)
    result.cluster_of.push_back(number.emplace(joined.find(h), static_cast<int>(number.size())).first->second);
  result.clusters = static_cast<int>(number.size());

  for (const auto& [clusters, group] : by_clusters(result, samples)) {
    const double middle = median_of(group).bandwidth;
    for (const host_sample* s : group)
      if (s->found.bandwidth < slow_below * middle && !slow[at(s->a)] && !slow[at(s->b)])
        result.links.push_back({s->a, s->b, s->found.bandwidth, middle});
  }
  const auto slowest_first = [](const auto& a, const auto& b) { return a.bandwidth / a.usual < b.bandwidth / b.usual; };
  std::stable_sort(result.hosts.begin(), result.hosts.end(), slowest_first);
  std::stable_sort(result.links.begin(), result.links.end(), slowest_first);
  return result;
}

host_links links_from(int hosts, const std::vector<host_sample>& samples, const verdict& judged) {
  const std::int64_t pairs = static_cast<std::int64_t>(hosts) * (hosts - 1) / 2;
  const auto known = std::count_if(samples.begin(), samples.end(), [](const host_sample& s) { return s.found.known(); });
  if (known == 0) return {};
  if (known == pairs) {
    std::vector<link> links(static_cast<std::size_t>(pairs));
    for (const host_sample& s : samples)
      links[static_cast<std::size_t>(host_links::pair_index(s.a, s.b))] = {std::max(s.found.latency_s, 0.0),
                                                                           s.found.bandwidth};
    return host_links::dense(hosts, std::move(links));
  }
  // For two clusters without measured links between them, the slower one of their links to other clusters is used. If these
  // links were not measured, the slower one of their internal links is used.
  const std::size_t k = at(judged.clusters);
  const auto groups = by_clusters(judged, samples);
  std::vector<std::vector<const host_sample*>> outside(k), inside(k);
  for (const auto& [clusters, group] : groups)
    for (const int c : {clusters.first, clusters.second}) {
      auto& of_cluster = (clusters.first == clusters.second ? inside : outside)[at(c)];
      of_cluster.insert(of_cluster.end(), group.begin(), group.end());
    }
  std::vector<link> usual(k);
  for (std::size_t c = 0; c < k; ++c)
    if (!outside[c].empty() || !inside[c].empty()) usual[c] = median_of(outside[c].empty() ? inside[c] : outside[c]);
  std::vector<link> between(k * k);
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < k; ++b) {
      const bool first = !usual[b].known() || (usual[a].known() && std::pair(usual[a].bandwidth, usual[a].latency_s) <=
                                                                       std::pair(usual[b].bandwidth, usual[b].latency_s));
      between[a * k + b] = usual[first ? a : b];
    }
  for (const auto& [clusters, group] : groups)
    between[at(clusters.first) * k + at(clusters.second)] = between[at(clusters.second) * k + at(clusters.first)] =
        median_of(group);
  return host_links::clustered(judged.cluster_of, std::move(between));
}

std::string rate_text(double rate) {
  const double size = std::abs(rate);
  if (size >= 99.95e9) return fmt::format("{:.0f} GB/s", rate * 1e-9);
  if (size >= 1e9) return fmt::format("{:.{}f} GB/s", rate * 1e-9, size >= 9.995e9 ? 1 : 2);
  if (size >= 99.95e6) return fmt::format("{:.0f} MB/s", rate * 1e-6);
  return fmt::format("{:.{}f} MB/s", rate * 1e-6, size >= 9.995e6 ? 1 : 2);
}

std::vector<std::string> lines_of(const verdict& judged, const host_list& hosts) {
  constexpr std::size_t most = 10;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < judged.hosts.size() && i < most; ++i) {
    const slow_host& s = judged.hosts[i];
    lines.push_back(fmt::format("SLOW host {}: {}, median {} (all {} links)", hosts.name(s.host), rate_text(s.bandwidth),
                                rate_text(s.usual), s.links));
  }
  if (judged.hosts.size() > most) lines.push_back(fmt::format("{} more slow hosts", judged.hosts.size() - most));
  for (std::size_t i = 0; i < judged.links.size() && i < most; ++i) {
    const slow_link& s = judged.links[i];
    lines.push_back(fmt::format("SLOW link {} - {}: {}, median {} of similar links", hosts.name(s.a), hosts.name(s.b),
                                rate_text(s.bandwidth), rate_text(s.usual)));
  }
  if (judged.links.size() > most) lines.push_back(fmt::format("{} more slow links", judged.links.size() - most));
  return lines;
}

}  // namespace osteon::machine
