#include <fmt/format.h>

#include <memory>
#include <osteon/net/networks/lattice.hpp>

namespace osteon::net {

namespace {

// Vertices are the PUs, an exchange switch (EX) for each PU, and the crossbars (XB) of each dimension.
struct crossbar_layout : lattice {
  using lattice::lattice;
  std::vector<int> order;  // order of the dimensions in routing, without dimensions of size 1
  std::vector<int>
      first_in;  // link EX -> XB of PU 0; the link of PU q has the offset q; links XB -> EX have the additional offset pus
  std::vector<int> first_crossbar;  // first crossbar vertex of each dimension

  // Crossbars of a dimension have the numbers of PUs, but without the coordinate of this dimension.
  int crossbar(std::size_t d, int pu) const {
    const int block = stride[d] * size[d];
    return first_crossbar[d] + pu / block * stride[d] + pu % stride[d];
  }

  std::string vertex_name(int v) const {
    if (v < pus) return fmt::format("PU({})", coordinates(v));
    if (v < 2 * pus) return fmt::format("EX({})", coordinates(v - pus));
    std::size_t d = size.size() - 1;
    while (size[d] == 1 || v < first_crossbar[d]) --d;
    const int line = v - first_crossbar[d];
    return fmt::format("XB({})", coordinates(line / stride[d] * stride[d] * size[d] + line % stride[d], d));
  }

  void append_route(int from, int to, std::vector<int>& path) const {
    if (from == to) return;
    path.push_back(from);
    int at = from;
    for (const int dimension : order) {
      const auto d = static_cast<std::size_t>(dimension);
      const int step = (coordinate(to, d) - coordinate(at, d)) * stride[d];
      if (step == 0) continue;
      path.push_back(first_in[d] + at);
      at += step;
      path.push_back(first_in[d] + pus + at);
    }
    path.push_back(pus + to);
  }
};

}  // namespace

network make_hyper_crossbar(const network_request& request) {
  const auto l = std::make_shared<crossbar_layout>(request.shape);
  network made = pus_and_ports(request, l->pus, [&](int q) { return l->pus + q; });
  const auto add = [&](int from, int to, link_kind kind) {
    made.links.push_back({from, to, kind, request.channels, request.rate, request.latency});
  };
  l->first_in.resize(l->size.size());
  l->first_crossbar.resize(l->size.size());
  for (std::size_t d = 0; d < l->size.size(); ++d) {
    if (l->size[d] == 1) continue;
    l->first_in[d] = static_cast<int>(made.links.size());
    l->first_crossbar[d] = made.vertices;
    made.vertices += l->pus / l->size[d];
    for (int q = 0; q < l->pus; ++q) add(l->pus + q, l->crossbar(d, q), link_kind::crossbar_in);
    for (int q = 0; q < l->pus; ++q) add(l->crossbar(d, q), l->pus + q, link_kind::crossbar_out);
  }
  for (const int d : request.order)
    if (l->size[static_cast<std::size_t>(d)] > 1) l->order.push_back(d);
  made.append_route = [l](int from, int to, std::vector<int>& path) { l->append_route(from, to, path); };
  made.vertex_name = [l](int v) { return l->vertex_name(v); };
  return made;
}

}  // namespace osteon::net
