#include <studies/hyper_crossbar/crossbar_broadcast.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <osteon/base/error.hpp>

namespace osteon::studies {

opened_links open_links(const net::network& where, int root) {
  if (root < 0 || root >= where.pus)
    throw usage_error(fmt::format("root {}: must be a PU from 0 to {}", root, where.pus - 1));
  constexpr int unseen = -2, start = -1;
  std::vector<int> before(where.links.size(), unseen);  // preceding link of each link
  std::map<int, int> copies;                            // number of outputs for each preceding link
  opened_links result;
  result.slowest_rate = std::numeric_limits<double>::infinity();
  std::vector<int> way;
  for (int to = 0; to < where.pus; ++to) {
    way.clear();
    where.append_route(root, to, way);
    double latency = 0;
    int last = start;
    for (const int l : way) {
      const auto i = static_cast<std::size_t>(l);
      latency += where.links[i].latency;
      if (before[i] == unseen) {
        before[i] = last;
        result.links.push_back(l);
        result.slowest_rate = std::min(result.slowest_rate, where.links[i].rate);
        if (last != start) result.most_copies = std::max(result.most_copies, ++copies[last]);
      }
      result.tree = result.tree && before[i] == last;
      last = l;
    }
    result.latency = std::max(result.latency, latency);
  }
  return result;
}

double broadcast_seconds(const net::network& where, int root, std::int64_t bytes) {
  if (where.pus == 1) return 0;
  const opened_links open = open_links(where, root);
  if (!open.tree)
    throw usage_error(
        fmt::format("{}: the routes from PU {} to the others meet again, so one message cannot fill them: broadcast by a "
                    "tree of messages",
                    where.name, root));
  return where.startup + open.latency + static_cast<double>(bytes) / open.slowest_rate;
}

std::vector<int> links_to_wait_for(const opened_links& one, const opened_links& other) {
  std::vector<int> a = one.links, b = other.links, both;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  both.resize(both.size() < 2 ? 0 : 2);
  return both;
}

}  // namespace osteon::studies
