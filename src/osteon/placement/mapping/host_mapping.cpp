#include <algorithm>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/bisection.hpp>
#include <osteon/placement/mapping/mapping.hpp>
#include <osteon/placement/mapping/swap_search.hpp>

namespace osteon::placement {

namespace {

// Order the hosts by recursive bisection of a graph of near hosts. In this order, near hosts have similar numbers.
std::vector<int> order_by_distance(const std::vector<float>& distance, int hosts, std::uint64_t seed) {
  constexpr int most = 1024, neighbours = 16;
  std::vector<int> order(at(hosts));
  std::iota(order.begin(), order.end(), 0);
  if (hosts > most) return order;
  std::vector<edge> edges;
  std::vector<int> nearest(at(hosts));
  for (int a = 0; a < hosts; ++a) {
    const float* row = distance.data() + at(a) * at(hosts);
    std::iota(nearest.begin(), nearest.end(), 0);
    const int some = std::min(neighbours, hosts - 1);
    std::partial_sort(nearest.begin(), nearest.begin() + some + 1, nearest.end(),
                      [row](int x, int y) { return row[x] != row[y] ? row[x] < row[y] : x < y; });
    for (int i = 0; i <= some; ++i)
      if (const int b = nearest[at(i)]; b != a) edges.push_back({a, b, static_cast<std::int64_t>(1e6F / (1 + row[b]))});
  }
  const std::vector<int> place = recursive_bisection(from_edges(hosts, edges), std::vector<int>(at(hosts), 1), seed);
  for (int h = 0; h < hosts; ++h) order[at(place[at(h)])] = h;
  return order;
}

// Initial mapping of search i.
std::vector<int> initial_mapping(int i, const graph& groups, std::span<const int> kind, const host_network& network,
                                 std::uint64_t seed) {
  const int n = groups.size();
  std::vector<int> host(at(n));
  std::iota(host.begin(), host.end(), 0);
  const bool alike = std::all_of(kind.begin(), kind.end(), [&](int k) { return k == kind[0]; });
  if (i % 2 == 0 && i > 0 && alike) {
    const std::vector<int> order = order_by_distance(network.distance, n, seed);
    const std::vector<int> place = recursive_bisection(groups, std::vector<int>(at(n), 1), seed);
    for (int g = 0; g < n; ++g) host[at(g)] = order[at(place[at(g)])];
  } else if (i > 0) {  // random exchanges between hosts of one kind
    random_source random(seed);
    for (int g = n - 1; g > 0; --g)
      if (const int other = static_cast<int>(random.below(static_cast<std::uint32_t>(g + 1)));
          kind[at(g)] == kind[at(other)])
        std::swap(host[at(g)], host[at(other)]);
  }
  return host;
}

bool is_better(const host_mapping& a, const host_mapping& b) {
  const double difference = a.load.score() - b.load.score();
  if (std::abs(difference) > 1e-9 * b.load.score()) return difference < 0;
  return a.load.volume < b.load.volume;
}

}  // namespace

host_mapping map_to_hosts(const graph& groups, std::span<const int> capacity, const host_network& network,
                          const mapping_options& options) {
  constexpr int many = 1024;  // with more hosts than this number, searches are long
  const int n = groups.size();
  host_mapping input{std::vector<int>(at(n)), {}};
  std::iota(input.host.begin(), input.host.end(), 0);
  input.load = load_of(groups, input.host, network.links);
  if (n < 2 || input.load.hottest_time == 0) return input;
  const auto rate = network.links.rate();
  const bool alike = std::all_of(rate.begin(), rate.end(), [&](double r) { return r == rate[0]; });
  if (network.distance.empty() && alike) return input;  // all mappings are equivalent
  std::vector<host_mapping> found = {input};
  if (!network.distance.empty()) {
    const int starts = n <= many ? options.starts : 2;
    const std::int64_t each = std::min(options.proposals / starts, std::int64_t{48'000} * n);
    found.resize(at(starts));
    const std::vector<int> one_each(at(n), 1);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < starts; ++i) {
      host_mapping& now = found[at(i)];
      const std::uint64_t seed = options.seed * 1000 + static_cast<std::uint64_t>(i);
      now.host = initial_mapping(n <= many ? i : 2 * i, groups, capacity, network, seed);
      swap_search(groups, one_each, now.host, {network.distance.data(), n},
                  i % 4 < 2 ? search_effort{seed, each, 1, 0.05} : search_effort{seed, each, 0.5, 0.15}, capacity);
      now.load = load_of(groups, now.host, network.links);
    }
    found.push_back(input);
  }
  std::stable_sort(found.begin(), found.end(), is_better);
  // Two kinds of mappings are improved: the mappings with the lowest score, and the mappings with the smallest volume. The
  // search reduces the load of their busiest link.
  std::vector<host_mapping> cooled = {found.front()};
  const auto add = [&](const host_mapping& m) {
    const bool is_new = std::none_of(cooled.begin(), cooled.end(), [&](const host_mapping& c) { return c.host == m.host; });
    if (is_new) cooled.push_back(m);
  };
  if (n <= many) {
    std::vector<host_mapping> by_volume = found;
    std::stable_sort(by_volume.begin(), by_volume.end(),
                     [](const host_mapping& a, const host_mapping& b) { return a.load.volume < b.load.volume; });
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 2); ++i) add(by_volume[i]), add(found[i]);
  }
  const auto first = static_cast<std::ptrdiff_t>(cooled.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::ptrdiff_t i = 0; i < first; ++i) {
    host_mapping& now = cooled[static_cast<std::size_t>(i)];
    now.load = cool_links(groups, capacity, now.host, network.links, std::min<std::int64_t>(300'000, 8000LL * n),
                          options.seed * 1000 + static_cast<std::uint64_t>(i));
  }
  host_mapping best = found.front();
  for (host_mapping& c : cooled)
    if (is_better(c, best)) best = std::move(c);
  return is_better(best, input) ? best : input;
}

}  // namespace osteon::placement
