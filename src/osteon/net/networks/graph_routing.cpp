#include <osteon/net/networks/graph_routing.hpp>

#include <algorithm>
#include <utility>

namespace osteon::net {

graph_routing::graph_routing(int routers, std::vector<link> edges)
    : routers_(routers),
      edges_(std::move(edges)),
      out_(static_cast<std::size_t>(routers)),
      in_(static_cast<std::size_t>(routers)),
      up_(edges_.size(), 0) {
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    out_[static_cast<std::size_t>(edges_[e].from)].push_back(static_cast<int>(e));
    in_[static_cast<std::size_t>(edges_[e].to)].push_back(static_cast<int>(e));
  }
}

int graph_routing::after(int state, int edge) const {
  const link& l = edges_[static_cast<std::size_t>(edge)];
  if (!up_down_) return 2 * l.to;
  if (!up_[static_cast<std::size_t>(edge)]) return 2 * l.to + 1;
  return state % 2 == 0 ? 2 * l.to : -1;
}

// Breadth-first search from each destination, against the direction of the links.
void graph_routing::search() {
  hops_.assign(static_cast<std::size_t>(routers_) * 2 * static_cast<std::size_t>(routers_), unreachable);
  std::vector<int> queue;
  for (int to = 0; to < routers_; ++to) {
    queue = {2 * to, 2 * to + 1};
    hops_[index(to, 2 * to)] = hops_[index(to, 2 * to + 1)] = 0;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const int state = queue[k], hops = hops_[index(to, state)];
      for (const int e : in_[static_cast<std::size_t>(state / 2)])
        for (const int before :
             {2 * edges_[static_cast<std::size_t>(e)].from, 2 * edges_[static_cast<std::size_t>(e)].from + 1}) {
          auto& known = hops_[index(to, before)];
          if (after(before, e) != state || known <= hops + 1) continue;
          known = static_cast<unsigned short>(hops + 1);
          queue.push_back(before);
        }
    }
  }
}

void graph_routing::route_minimal() { search(); }

void graph_routing::route_up_down(std::vector<int> level) {
  up_down_ = true;
  if (level.empty()) {
    level.assign(static_cast<std::size_t>(routers_), routers_);
    level[0] = 0;
    std::vector<int> queue{0};
    const auto add = [&](int from, int to) {
      auto& l = level[static_cast<std::size_t>(to)];
      if (l < routers_) return;
      l = level[static_cast<std::size_t>(from)] + 1;
      queue.push_back(to);
    };
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const int router = queue[k];
      for (const int e : out_[static_cast<std::size_t>(router)]) add(router, edges_[static_cast<std::size_t>(e)].to);
      for (const int e : in_[static_cast<std::size_t>(router)]) add(router, edges_[static_cast<std::size_t>(e)].from);
    }
  }
  const auto rank = [&](int router) { return std::pair{level[static_cast<std::size_t>(router)], router}; };
  for (std::size_t e = 0; e < edges_.size(); ++e) up_[e] = rank(edges_[e].to) < rank(edges_[e].from);
  search();
}

int graph_routing::most_hops() const {
  int most = 0;
  for (const unsigned short hops : hops_)
    if (hops < unreachable) most = std::max<int>(most, hops);
  return most;
}

void graph_routing::append_route(int from, int to, int pu, int first_link, std::vector<int>& path) const {
  std::vector<int> best;
  for (int state = 2 * from; state / 2 != to;) {
    const int hops = hops_[index(to, state)];
    best.clear();
    for (const int e : out_[static_cast<std::size_t>(state / 2)])
      if (const int next = after(state, e); next >= 0 && hops_[index(to, next)] + 1 == hops) best.push_back(e);
    const int e = best[static_cast<std::size_t>(pu) % best.size()];
    path.push_back(first_link + e);
    state = after(state, e);
  }
}

}  // namespace osteon::net
