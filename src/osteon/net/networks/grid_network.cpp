#include <fmt/format.h>

#include <memory>
#include <osteon/net/networks/lattice.hpp>

namespace osteon::net {

namespace {

// Torus, mesh and hypercube. Vertices are the PUs, followed by a router for each PU.
struct grid_layout : lattice {
  bool torus;
  std::vector<int> order;
  std::vector<int> channel;  // channels with indices [dimension][minus, plus][router]; -1: no channel

  explicit grid_layout(const network_request& request)
      : lattice(request.shape),
        torus(request.kind == topology::torus),
        order(request.order),
        channel(2 * size.size() * static_cast<std::size_t>(pus), -1) {}

  int& channel_of(std::size_t d, bool plus, int router) {
    return channel[(2 * d + plus) * static_cast<std::size_t>(pus) + static_cast<std::size_t>(router)];
  }
  int channel_of(std::size_t d, bool plus, int router) const {
    return const_cast<grid_layout*>(this)->channel_of(d, plus, router);
  }

  int neighbour(std::size_t d, bool plus, int router) const {
    const int x = coordinate(router, d), other = x + (plus ? 1 : -1);
    // A ring of two routers has one cable instead of two cables.
    if ((other < 0 || other >= size[d]) && (!torus || size[d] <= 2)) return -1;
    return router + ((other + size[d]) % size[d] - x) * stride[d];
  }

  // Call `process(dimension, direction, first router)` for the channels of a route in the order of the route.
  template <class Process>
  void walk(int from, int to, Process process) const {
    int at = from;
    for (const int dimension : order) {
      const auto d = static_cast<std::size_t>(dimension);
      const int x = coordinate(at, d), target = coordinate(to, d);
      bool plus = target > x;
      if (torus && size[d] > 2) {
        // Messages use the shorter direction. If both directions are equally long, messages from even and odd positions use
        // different directions.
        const int ahead = (target - x + size[d]) % size[d];
        plus = 2 * ahead < size[d] || (2 * ahead == size[d] && x % 2 == 0);
      }
      while (coordinate(at, d) != target) {
        process(d, plus, at);
        at = neighbour(d, plus, at);
      }
    }
  }

  void append_route(int from, int to, std::vector<int>& path) const {
    if (from == to) return;
    path.push_back(from);
    walk(from, to, [&](std::size_t d, bool plus, int at) { path.push_back(channel_of(d, plus, at)); });
    path.push_back(pus + to);
  }

  // In each ring, channels after the wrap-around channel have the second class. A route uses the wrap-around channel at most
  // once. No cycle of waiting messages is therefore possible.
  void append_classes(int from, int to, std::span<const int> route, std::vector<int>& class_of_link) const {
    const auto is_port = [&](int which) { return which < 2 * pus; };
    if (is_port(route.front())) class_of_link.push_back(0);
    std::size_t along = none;
    int behind_end = 0;
    walk(from, to, [&](std::size_t d, bool plus, int at) {
      if (d != along) behind_end = 0;
      along = d;
      class_of_link.push_back(behind_end);
      if (coordinate(at, d) == (plus ? size[d] - 1 : 0)) behind_end = 1;
    });
    if (is_port(route.back())) class_of_link.push_back(0);
  }

  std::string vertex_name(int v) const { return (v < pus ? "PU(" : "R(") + coordinates(v % pus) + ")"; }
};

}  // namespace

network make_grid(const network_request& request) {
  const auto l = std::make_shared<grid_layout>(request);
  network made = pus_and_ports(request, l->pus, [&](int q) { return l->pus + q; });
  for (std::size_t d = 0; d < l->size.size(); ++d)
    for (const bool plus : {false, true})
      for (int q = 0; q < l->pus; ++q) {
        const int other = l->neighbour(d, plus, q);
        if (other < 0) continue;
        l->channel_of(d, plus, q) = static_cast<int>(made.links.size());
        made.links.push_back(
            {l->pus + q, l->pus + other, link_kind::channel, request.channels, request.rate, request.latency});
      }
  made.append_route = [l](int from, int to, std::vector<int>& path) { l->append_route(from, to, path); };
  if (l->torus) {
    made.classes = 2;
    made.append_classes = [l](int from, int to, std::span<const int> route, std::vector<int>& class_of_link) {
      l->append_classes(from, to, route, class_of_link);
    };
  }
  made.vertex_name = [l](int v) { return l->vertex_name(v); };
  return made;
}

}  // namespace osteon::net
