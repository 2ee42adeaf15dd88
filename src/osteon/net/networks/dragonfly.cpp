#include <fmt/format.h>

#include <memory>
#include <osteon/net/networks/lattice.hpp>

namespace osteon::net {

namespace {

// PU = (group * routers + router) * pus_of_router + port. Global channel k of a group belongs to router k / global. The
// channel leads to the group at the distance (k mod (groups - 1)) + 1. Each set of groups - 1 channels has one channel to
// each other group. Channels after the last complete set are omitted.
struct dragonfly_layout {
  int pus_of_router, routers, groups, global;
  int pus, all_routers, copies, first_local, first_global;

  int channel_to(int group, int other, int copy) const {
    return copy * (groups - 1) + (other - group + groups) % groups - 1;
  }
  int local(int group, int router, int other) const {
    return first_local + (group * routers + router) * (routers - 1) + (other < router ? other : other - 1);
  }

  void append_route(int from, int to, std::vector<int>& path) const {
    if (from == to) return;
    path.push_back(from);
    const int source = from / pus_of_router, target = to / pus_of_router;
    int group = source / routers, router = source % routers;
    const int target_group = target / routers, target_router = target % routers;
    if (group != target_group) {
      const int copy = to % copies, channel = channel_to(group, target_group, copy);
      if (channel / global != router) path.push_back(local(group, router, channel / global));
      path.push_back(first_global + group * copies * (groups - 1) + channel);
      router = channel_to(target_group, group, copy) / global;
      group = target_group;
    }
    if (router != target_router) path.push_back(local(group, router, target_router));
    path.push_back(pus + to);
  }

  std::string vertex_name(int v) const {
    if (v < pus)
      return fmt::format("PU({},{},{})", v / pus_of_router / routers, v / pus_of_router % routers, v % pus_of_router);
    return fmt::format("R({},{})", (v - pus) / routers, (v - pus) % routers);
  }
};

}  // namespace

network make_dragonfly(const network_request& request) {
  auto l = std::make_shared<dragonfly_layout>();
  l->pus_of_router = request.shape[0];
  l->routers = request.shape[1];
  l->groups = request.shape[2];
  l->global = request.global_links;
  l->pus = static_cast<int>(request.pus());
  l->all_routers = l->routers * l->groups;
  l->copies = l->groups > 1 ? l->routers * l->global / (l->groups - 1) : 0;
  network made = pus_and_ports(request, l->all_routers, [&](int q) { return l->pus + q / l->pus_of_router; });
  const auto add = [&](int from, int to, link_kind kind, double rate) {
    made.links.push_back({from, to, kind, request.channels, rate, request.latency});
  };
  l->first_local = static_cast<int>(made.links.size());
  for (int r = 0; r < l->all_routers; ++r)
    for (int other = 0; other < l->routers; ++other)
      if (other != r % l->routers)
        add(l->pus + r, l->pus + r / l->routers * l->routers + other, link_kind::local, request.rate);
  l->first_global = static_cast<int>(made.links.size());
  for (int group = 0; group < l->groups; ++group)
    for (int k = 0; k < l->copies * (l->groups - 1); ++k) {
      const int other = (group + k % (l->groups - 1) + 1) % l->groups;
      const int back = l->channel_to(other, group, k / (l->groups - 1));
      add(l->pus + group * l->routers + k / l->global, l->pus + other * l->routers + back / l->global, link_kind::global,
          request.top_rate);
    }
  made.append_route = [l](int from, int to, std::vector<int>& path) { l->append_route(from, to, path); };
  // Local channels after a global channel have the second class. Groups therefore do not wait for each other in a cycle.
  made.classes = 2;
  made.append_classes = [l](int, int, std::span<const int> route, std::vector<int>& class_of_link) {
    int after_global = 0;
    for (const int hop : route) {
      class_of_link.push_back(after_global);
      if (hop >= l->first_global) after_global = 1;
    }
  };
  made.vertex_name = [l](int v) { return l->vertex_name(v); };
  return made;
}

}  // namespace osteon::net
