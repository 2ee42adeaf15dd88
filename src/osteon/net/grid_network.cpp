#include <fmt/format.h>

#include <memory>
#include <osteon/net/network_request.hpp>

namespace osteon::net {

namespace {

// Torus, mesh and hypercube. Vertices: PUs, then a router each.
struct layout {
  int pus;
  bool torus;
  std::vector<int> size, stride, order;
  std::vector<int> channel;  // [dimension][minus, plus][router]; -1: none

  int& channel_of(std::size_t d, bool plus, int router) {
    return channel[(2 * d + plus) * static_cast<std::size_t>(pus) + static_cast<std::size_t>(router)];
  }
  int channel_of(std::size_t d, bool plus, int router) const {
    return const_cast<layout*>(this)->channel_of(d, plus, router);
  }

  int neighbour(std::size_t d, bool plus, int router) const {
    const int x = router / stride[d] % size[d], other = x + (plus ? 1 : -1);
    // Two in a ring have one cable, not two.
    if ((other < 0 || other >= size[d]) && (!torus || size[d] <= 2)) return -1;
    return router + ((other + size[d]) % size[d] - x) * stride[d];
  }

  void append_route(int from, int to, std::vector<int>& path) const {
    if (from == to) return;
    path.push_back(from);
    int at = from;
    for (const int dimension : order) {
      const auto d = static_cast<std::size_t>(dimension);
      const int x = at / stride[d] % size[d], target = to / stride[d] % size[d];
      bool plus = target > x;
      if (torus && size[d] > 2) {
        // The shorter way; half-way round, even and odd ones go different ways, so that both are used.
        const int ahead = (target - x + size[d]) % size[d];
        plus = 2 * ahead < size[d] || (2 * ahead == size[d] && x % 2 == 0);
      }
      while (at / stride[d] % size[d] != target) {
        path.push_back(channel_of(d, plus, at));
        at = neighbour(d, plus, at);
      }
    }
    path.push_back(pus + to);
  }

  std::string vertex_name(int v) const {
    std::string text = v < pus ? "PU(" : "R(";
    for (std::size_t d = 0; d < size.size(); ++d)
      text.append(d > 0 ? "," : "").append(std::to_string(v % pus / stride[d] % size[d]));
    return text + ")";
  }
};

}  // namespace

network make_grid(const network_request& request) {
  auto l = std::make_shared<layout>();
  l->pus = static_cast<int>(request.pus());
  l->torus = request.kind == topology::torus;
  l->size = request.shape;
  l->order = request.order;
  l->stride.resize(l->size.size());
  for (std::size_t d = l->size.size(), stride = 1; d-- > 0; stride *= static_cast<std::size_t>(l->size[d]))
    l->stride[d] = static_cast<int>(stride);
  network made;
  made.pus = l->pus;
  made.vertices = 2 * l->pus;
  const auto add = [&](int from, int to, link_kind kind, double rate) {
    made.links.push_back({from, to, kind, request.channels, rate, request.latency});
  };
  for (int q = 0; q < l->pus; ++q) add(q, l->pus + q, link_kind::injection, request.pu_rate);
  for (int q = 0; q < l->pus; ++q) add(l->pus + q, q, link_kind::ejection, request.pu_rate);
  l->channel.assign(2 * l->size.size() * static_cast<std::size_t>(l->pus), -1);
  for (std::size_t d = 0; d < l->size.size(); ++d)
    for (const bool plus : {false, true})
      for (int q = 0; q < l->pus; ++q) {
        const int other = l->neighbour(d, plus, q);
        if (other < 0) continue;
        l->channel_of(d, plus, q) = static_cast<int>(made.links.size());
        add(l->pus + q, l->pus + other, link_kind::channel, request.rate);
      }
  made.append_route = [l](int from, int to, std::vector<int>& path) { l->append_route(from, to, path); };
  made.vertex_name = [l](int v) { return l->vertex_name(v); };
  return made;
}

}  // namespace osteon::net
