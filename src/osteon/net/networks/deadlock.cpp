#include <osteon/net/networks/deadlock.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

struct dependency {
  int next;              // next virtual channel, as a vertex of the graph
  plan::parcel message;  // first message that has this dependency
};

// Vertices are virtual channels. The channels of a link have consecutive numbers.
class dependency_graph {
 public:
  explicit dependency_graph(const network& net) : net_(net) {
    for (const link& l : net.links) {
      first_.push_back(static_cast<int>(of_.size()));
      of_.resize(of_.size() + static_cast<std::size_t>(l.channels));
    }
    used_.assign(of_.size(), 0);
    std::vector<int> route, classes;
    for (int from = 0; from < net.pus; ++from)
      for (int to = 0; to < net.pus; ++to)
        if (from != to) add(from, to, route, classes);
  }

  std::int64_t channels() const { return std::count(used_.begin(), used_.end(), 1); }
  std::int64_t dependencies() const {
    std::int64_t sum = 0;
    for (const auto& list : of_) sum += static_cast<std::int64_t>(list.size());
    return sum;
  }

  // Find any cycle, and then the shortest cycle through one of the vertices of this cycle.
  std::vector<waiting> circle() const {
    std::vector<int> best;
    for (const int start : any_circle()) {
      auto found = shortest_from(start);
      if (best.empty() || found.size() < best.size()) best = std::move(found);
    }
    std::vector<waiting> result;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const int next = best[(i + 1) % best.size()];
      const auto& list = of_[static_cast<std::size_t>(best[i])];
      const auto by = std::find_if(list.begin(), list.end(), [&](const dependency& d) { return d.next == next; });
      result.push_back({channel_of(best[i]), channel_of(next), by->message});
    }
    return result;
  }

 private:
  void add(int from, int to, std::vector<int>& route, std::vector<int>& classes) {
    route.clear();
    classes.clear();
    net_.append_route(from, to, route);
    if (net_.append_classes) net_.append_classes(from, to, route, classes);
    int before = -1;
    for (std::size_t i = 0; i < route.size(); ++i) {
      const link& l = net_.links[static_cast<std::size_t>(route[i])];
      if (l.kind == link_kind::injection || l.kind == link_kind::ejection) continue;
      const int here =
          first_[static_cast<std::size_t>(route[i])] + (classes.empty() ? 0 : std::min(classes[i], l.channels - 1));
      used_[static_cast<std::size_t>(here)] = 1;
      if (before >= 0) {
        auto& list = of_[static_cast<std::size_t>(before)];
        if (std::none_of(list.begin(), list.end(), [&](const dependency& d) { return d.next == here; }))
          list.push_back({here, {from, to}});
      }
      before = here;
    }
  }

  virtual_channel channel_of(int vertex) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), vertex);
    const auto l = static_cast<int>(after - first_.begin()) - 1;
    return {l, vertex - first_[static_cast<std::size_t>(l)]};
  }

  // Depth-first search. An edge to a vertex on the current path closes a cycle.
  std::vector<int> any_circle() const {
    enum : char { unseen, on_path, done };
    std::vector<char> state(of_.size(), unseen);
    std::vector<std::pair<int, std::size_t>> path;  // vertex, and index of the next edge of the vertex
    for (int root = 0; root < static_cast<int>(of_.size()); ++root) {
      if (state[static_cast<std::size_t>(root)] != unseen) continue;
      path.push_back({root, 0});
      state[static_cast<std::size_t>(root)] = on_path;
      while (!path.empty()) {
        auto& [vertex, edge] = path.back();
        const auto& list = of_[static_cast<std::size_t>(vertex)];
        if (edge == list.size()) {
          state[static_cast<std::size_t>(vertex)] = done;
          path.pop_back();
          continue;
        }
        const int next = list[edge++].next;
        char& seen = state[static_cast<std::size_t>(next)];
        if (seen == on_path) {
          std::vector<int> circle;
          for (std::size_t i = path.size(); i-- > 0;) {
            circle.push_back(path[i].first);
            if (path[i].first == next) return circle;
          }
        }
        if (seen == unseen) {
          seen = on_path;
          path.push_back({next, 0});
        }
      }
    }
    return {};
  }

  // Breadth-first search from `start` back to `start`. The vertex `start` must be on a cycle.
  std::vector<int> shortest_from(int start) const {
    constexpr int unvisited = -1;
    std::vector<int> before(of_.size(), unvisited), queue{start};
    for (std::size_t k = 0;; ++k)
      for (const dependency& d : of_[static_cast<std::size_t>(queue[k])]) {
        if (d.next == start) {
          std::vector<int> circle;
          for (int v = queue[k]; v != start; v = before[static_cast<std::size_t>(v)]) circle.push_back(v);
          circle.push_back(start);
          std::reverse(circle.begin(), circle.end());
          return circle;
        }
        if (before[static_cast<std::size_t>(d.next)] != unvisited) continue;
        before[static_cast<std::size_t>(d.next)] = queue[k];
        queue.push_back(d.next);
      }
  }

  const network& net_;
  std::vector<int> first_;                   // number of virtual channel 0 of each link
  std::vector<std::vector<dependency>> of_;  // dependencies of each virtual channel
  std::vector<char> used_;
};

}  // namespace

std::vector<virtual_channel> virtual_channels_of(const network& net, int from, int to) {
  const std::vector<int> route = net.route(from, to);
  std::vector<int> classes;
  if (net.append_classes) net.append_classes(from, to, route, classes);
  std::vector<virtual_channel> result;
  for (std::size_t i = 0; i < route.size(); ++i)
    result.push_back(
        {route[i], classes.empty() ? 0 : std::min(classes[i], net.links[static_cast<std::size_t>(route[i])].channels - 1)});
  return result;
}

deadlock_report find_deadlock(const network& net) {
  if (net.pus > most_pus_for_deadlock)
    throw usage_error(
        fmt::format("{} has {} PUs; the deadlock analysis supports at most {}; use a smaller network of the same kind",
                    net.name, net.pus, most_pus_for_deadlock));
  deadlock_report result;
  {
    const dependency_graph graph(net);
    result.channels = graph.channels();
    result.dependencies = graph.dependencies();
    result.circle = graph.circle();
  }
  if (result.circle.empty()) {
    result.sufficient = 1;
    for (const link& l : net.links) result.sufficient = std::max(result.sufficient, l.channels);
    return result;
  }
  network with_more = net;
  for (int channels = 2; channels <= net.classes && result.sufficient == 0; ++channels) {
    bool more = false;
    for (std::size_t i = 0; i < net.links.size(); ++i) {
      with_more.links[i].channels = std::max(net.links[i].channels, channels);
      more = more || with_more.links[i].channels > net.links[i].channels;
    }
    if (more && dependency_graph(with_more).circle().empty()) result.sufficient = channels;
  }
  return result;
}

}  // namespace osteon::net
