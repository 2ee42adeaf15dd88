#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/machine/links/links.hpp>

namespace osteon::machine {

host_links host_links::dense(int hosts, std::vector<link> pairs) {
  const std::int64_t expected = static_cast<std::int64_t>(hosts) * (hosts - 1) / 2;
  if (hosts < 0 || static_cast<std::int64_t>(pairs.size()) != expected)
    throw data_error(fmt::format("{} hosts require {} links of pairs, not {}", hosts, expected, pairs.size()));
  host_links result;
  result.hosts_ = hosts;
  result.links_ = std::move(pairs);
  return result;
}

host_links host_links::clustered(std::vector<int> cluster_of, std::vector<link> between) {
  int clusters = 0;
  for (const int c : cluster_of) {
    if (c < 0 || c >= static_cast<int>(cluster_of.size()))
      throw data_error(fmt::format("cluster {} of a host: clusters of {} hosts must be from 0 to {}", c, cluster_of.size(),
                                   cluster_of.size() - 1));
    clusters = std::max(clusters, c + 1);
  }
  const std::size_t k = at(clusters);
  if (between.size() != k * k)
    throw data_error(fmt::format("{} clusters require {} links, not {}", k, k * k, between.size()));
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (between[a * k + b] != between[b * k + a])
        throw data_error(fmt::format("the links from cluster {} to {} and from {} to {} must be equal", a, b, b, a));
  host_links result;
  result.hosts_ = static_cast<int>(cluster_of.size());
  result.clusters_ = clusters;
  result.cluster_of_ = std::move(cluster_of);
  result.links_ = std::move(between);
  return result;
}

host_links host_links::uniform(int hosts, link each) {
  return clustered(std::vector<int>(at(hosts), 0), std::vector<link>(hosts > 0 ? 1 : 0, each));
}

host_links host_links::selected(const std::vector<int>& hosts) const {
  const int n = static_cast<int>(hosts.size());
  if (is_dense()) {
    std::vector<link> pairs;
    for (int b = 1; b < n; ++b)
      for (int a = 0; a < b; ++a) pairs.push_back(between(hosts[at(a)], hosts[at(b)]));
    return dense(n, std::move(pairs));
  }
  std::vector<int> new_number(at(clusters_), -1), old_number, cluster_of;
  for (const int host : hosts) {
    const int old = cluster_of_[at(host)];
    if (new_number[at(old)] < 0) {
      new_number[at(old)] = static_cast<int>(old_number.size());
      old_number.push_back(old);
    }
    cluster_of.push_back(new_number[at(old)]);
  }
  std::vector<link> links;
  for (const int a : old_number)
    for (const int b : old_number) links.push_back(links_[at(a) * at(clusters_) + at(b)]);
  return clustered(std::move(cluster_of), std::move(links));
}

std::optional<link> path_speeds::within_host(path p) const {
  const int wanted = std::min(static_cast<int>(p), static_cast<int>(paths_inside) - 1);
  for (int i = wanted; i >= 0; --i)
    if (inside[at(i)]) return inside[at(i)];
  for (std::size_t i = at(wanted) + 1; i < paths_inside; ++i)
    if (inside[i]) return inside[i];
  return std::nullopt;
}

path path_between(const host_list& hosts, place a, place b) {
  return a.host == b.host ? hosts.tree(a.host).between(a.core, b.core) : path::inter_host;
}

link link_between(const description& machine, const path_speeds& seen, place a, place b) {
  const path p = path_between(machine.hosts, a, b);
  if (p != path::inter_host) {
    if (const auto found = seen.within_host(p)) return *found;
  } else if (seen.between.hosts() == machine.hosts.size()) {
    if (const link found = seen.between.between(a.host, b.host); found.known()) return found;
  }
  throw data_error(fmt::format("{} paths were not measured ({} to {}); run `osteon probe`", name_of(p),
                               machine.hosts.name(a.host), machine.hosts.name(b.host)));
}

description assumed(host_list hosts) {
  path_speeds speeds;
  speeds.inside = {link{0.3e-6, 12e9}, link{0.5e-6, 9e9}, link{0.8e-6, 6e9}};
  speeds.between = host_links::uniform(hosts.size(), {1.5e-6, 12e9});
  // Under load, the cores of a host share 100 Gbit/s. Paths inside hosts are mostly independent of each other.
  path_speeds loaded = speeds;
  double cores = 1;
  for (const host_tree& tree : hosts.trees()) cores = std::max(cores, static_cast<double>(tree.usable_cores().size()));
  loaded.between = host_links::uniform(hosts.size(), {1.5e-6, 12e9 / cores});
  return {std::move(hosts), std::move(speeds), std::move(loaded), ""};
}

}  // namespace osteon::machine
