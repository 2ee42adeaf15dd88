#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/kth_smallest.hpp>
#include <osteon/placement/hosts/host_network.hpp>

namespace osteon::placement {

namespace {

constexpr int most_hosts = 16384;  // with this number of hosts, the distances need 1 GiB

double upper_quartile(const std::vector<double>& values) {
  return kth_smallest(values, (values.size() - 1) * 3 / 4 + ((values.size() - 1) * 3 % 4 != 0));
}

// Rate of each host. The rate is computed from the links of the host to at most about 256 other hosts.
std::vector<double> rates_of_hosts(const machine::host_links& links) {
  constexpr int enough = 256;
  const int n = links.hosts();
  std::vector<double> rate;
  for (int a = 0; a < n; ++a) {
    std::vector<double> seen;
    const int step = std::max(1, n / enough);
    for (int d = 1; d < n; d += step) {
      const machine::link link = links.between(a, (a + d) % n);
      if (link.known()) seen.push_back(link.bandwidth);
    }
    if (seen.empty()) throw data_error(fmt::format("the paths of host {} were not measured; run `osteon probe` again", a));
    rate.push_back(upper_quartile(seen));
  }
  return rate;
}

struct uplinks {
  std::vector<int> cluster_of;
  std::vector<double> rate;  // rate of each cluster
};

// Uplinks of clusters. Under load, such a cluster has less external bandwidth than internal bandwidth.
uplinks shared_uplinks(const machine::path_speeds& loaded, std::span<const double> rate) {
  const machine::host_links& links = loaded.between;
  if (links.is_dense() || links.clusters() < 2 || links.hosts() != static_cast<int>(rate.size())) return {};
  uplinks result{links.cluster_of(), std::vector<double>(at(links.clusters()), 0)};
  std::vector<int> members(at(links.clusters()), 0);
  for (std::size_t h = 0; h < rate.size(); ++h) {
    const auto c = at(result.cluster_of[h]);
    result.rate[c] += rate[h];
    ++members[c];
  }
  const auto k = at(links.clusters());
  bool any = false;
  for (std::size_t a = 0; a < k; ++a) {
    double best_outside = 0;
    for (std::size_t b = 0; b < k; ++b)
      if (a != b) best_outside = std::max(best_outside, links.values()[a * k + b].bandwidth);
    const double inside = links.values()[a * k + a].bandwidth;
    if (members[a] < 2 || inside <= 0 || best_outside <= 0 || best_outside >= 0.9 * inside) continue;
    result.rate[a] *= best_outside / inside;
    any = true;
  }
  return any ? result : uplinks{};
}

}  // namespace

host_network network_of(std::shared_ptr<const net::network> model, int hosts) {
  if (hosts > model->pus)
    throw usage_error(
        fmt::format("{} hosts exceed the PUs of {} ({}); use a larger network", hosts, model->name, model->pus));
  if (hosts > most_hosts)
    throw usage_error(
        fmt::format("{} hosts exceed the limit of {} for modelled networks; use fewer hosts", hosts, most_hosts));
  std::vector<double> rate;
  for (const net::link& l : model->links) rate.push_back(l.rate);
  fabric links(
      model->name, hosts, std::move(rate),
      [model](int from, int to, std::vector<int>& route) { model->append_route(from, to, route); },
      [model](int link) { return model->link_name(link); });
  std::vector<float> distance = distances(links);
  return {std::move(links), std::move(distance)};
}

host_network network_of(const machine::description& machine) {
  const int n = machine.hosts.size();
  const auto name = [names = machine.hosts.names()](int link) {
    return fmt::format("{} {}", link % 2 ? "into" : "out of", names[at(link / 2)]);
  };
  if (n < 2) return {host_links_only(std::vector<double>(at(n), 1), name), {}};
  if (!machine.isolated || machine.isolated->between.hosts() != n)
    throw data_error(fmt::format("the links between the {} hosts were not measured; run `osteon probe` on these hosts", n));
  const machine::host_links& measured = machine.isolated->between;
  const std::vector<double> rate = rates_of_hosts(measured);
  const bool alike = !measured.is_dense() && measured.clusters() == 1;
  std::vector<float> distance;
  if (!alike && n <= most_hosts) {
    const double fastest = *std::max_element(rate.begin(), rate.end());
    distance.assign(at(n) * at(n), 0);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        if (a == b) continue;
        const machine::link link = measured.between(a, b);
        distance[at(a) * at(n) + at(b)] = link.known() ? static_cast<float>(fastest / link.bandwidth) : 1.0F;
      }
  }
  uplinks up;
  if (machine.loaded) up = shared_uplinks(*machine.loaded, rate);
  if (up.rate.empty()) return {host_links_only(rate, name), std::move(distance)};
  std::vector<double> all;
  for (const double r : rate) all.insert(all.end(), {r, r});
  for (const double r : up.rate) all.insert(all.end(), {r, r});
  fabric links(
      "hosts and uplinks as measured", n, std::move(all),
      [n, cluster_of = up.cluster_of](int from, int to, std::vector<int>& route) {
        route.push_back(2 * from);
        if (const int a = cluster_of[at(from)], b = cluster_of[at(to)]; a != b)
          route.insert(route.end(), {2 * (n + a), 2 * (n + b) + 1});
        route.push_back(2 * to + 1);
      },
      [n, name](int link) {
        return link < 2 * n ? name(link) : fmt::format("{} cluster {}", link % 2 ? "into" : "out of", link / 2 - n);
      });
  return {std::move(links), std::move(distance)};
}

}  // namespace osteon::placement
