#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/placement/place.hpp>

namespace osteon::placement {

assessment assess(const graph& g, std::span<const int> place, const target& available) {
  assessment result;
  const auto inside = costs_inside(available.machine);
  const bool measured = available.machine.isolated && available.machine.isolated->between.hosts() == available.hosts();
  std::vector<int> host(at(g.size()));
  for (int v = 0; v < g.size(); ++v) host[at(v)] = available.places[at(place[at(v)])].host;
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    double time = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const machine::place a = available.places[at(place[at(v)])], b = available.places[at(place[at(to[i])])];
      const machine::path p = machine::path_between(available.machine.hosts, a, b);
      result.bytes_by_path[static_cast<std::size_t>(p)] += w[i];
      const auto bytes = static_cast<double>(w[i]);
      if (p != machine::path::inter_host)
        time += inside[static_cast<std::size_t>(p)].time(bytes);
      else if (measured)
        if (const machine::link link = available.machine.isolated->between.between(a.host, b.host); link.known())
          time += link.time(bytes);
    }
    result.slowest_rank_s = std::max(result.slowest_rank_s, time);
    result.mean_rank_s += time / g.size();
  }
  result.off_host_bytes = result.bytes_by_path[static_cast<std::size_t>(machine::path::inter_host)];
  result.network = load_of(g, host, available.network.links);
  if (result.network.hottest_link >= 0) result.hottest_link = available.network.links.link_name(result.network.hottest_link);
  return result;
}

core_costs costs_between_cores(const target& available, int host, std::span<const int> cores, double message_bytes) {
  const machine::host_tree& tree = available.machine.hosts.tree(host);
  const auto inside = costs_inside(available.machine);
  core_costs costs;
  costs.reserve(cores.size() * cores.size());
  for (const int a : cores)
    for (const int b : cores) {
      const path_cost& path = inside[static_cast<std::size_t>(tree.between(a, b))];
      // In measurements, longer paths may be as fast as shorter paths. In this case, a small cost per level gives preference
      // to near cores.
      const double level = 1 + 1e-3 * tree_distance(tree, a, b);
      costs.push_back(a == b ? 0.0F : static_cast<float>(level * path.time(message_bytes) / message_bytes * 1e9));
    }
  return costs;
}

double mean_message(const graph& g) {
  double sum = 0;
  for (const std::int64_t w : g.weight) sum += static_cast<double>(w);
  return sum > 0 ? sum / static_cast<double>(g.weight.size()) : 1;
}

}  // namespace osteon::placement
