#include <osteon/net/networks/network.hpp>

#include <fmt/format.h>

#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/splitmix.hpp>

namespace osteon::net {

std::string name_of(link_kind kind) {
  switch (kind) {
    case link_kind::injection:
      return "injection";
    case link_kind::ejection:
      return "ejection";
    case link_kind::crossbar_in:
      return "crossbar in";
    case link_kind::crossbar_out:
      return "crossbar out";
    case link_kind::channel:
      return "channel";
    case link_kind::up:
      return "up";
    case link_kind::down:
      return "down";
    case link_kind::local:
      return "local";
    case link_kind::global:
      return "global";
  }
  return "";
}

std::vector<int> network::route(int from, int to) const {
  for (const int pu : {from, to})
    if (pu < 0 || pu >= pus)
      throw usage_error(fmt::format("PU {} does not exist: {} has the PUs 0 to {}", pu, name, pus - 1));
  std::vector<int> path;
  append_route(from, to, path);
  return path;
}

std::string network::link_name(int which) const {
  const link& l = links[static_cast<std::size_t>(which)];
  return fmt::format("{} -> {}", vertex_name(l.from), vertex_name(l.to));
}

void route_by_random_pu(network& net, std::uint64_t seed) {
  net.minimal = false;
  const auto middle_of = [pus = static_cast<std::uint64_t>(net.pus), seed](int from, int to) {
    const auto pair = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint64_t>(to);
    return static_cast<int>(splitmix64(pair ^ splitmix64(seed)) % pus);
  };
  const auto direct = net.append_route;
  net.append_route = [direct, middle_of](int from, int to, std::vector<int>& path) {
    if (from == to) return;
    const int middle = middle_of(from, to);
    if (middle == from || middle == to) return direct(from, to, path);
    direct(from, middle, path);
    path.pop_back();  // the two halves of the route are connected at the switch, not at the PU
    const auto turn = path.size();
    direct(middle, to, path);
    path.erase(path.begin() + static_cast<std::ptrdiff_t>(turn));
  };
  // The second half of the route has classes of its own. These classes do not depend on the classes of the first half.
  net.append_classes = [direct, middle_of, classes_of = net.append_classes, classes = net.classes](
                           int from, int to, std::span<const int> route, std::vector<int>& class_of_link) {
    const auto half = [&](int a, int b, std::span<const int> part) {
      if (classes_of)
        classes_of(a, b, part, class_of_link);
      else
        class_of_link.insert(class_of_link.end(), part.size(), 0);
    };
    const int middle = middle_of(from, to);
    if (middle == from || middle == to) return half(from, to, route);
    std::vector<int> first;
    direct(from, middle, first);
    const std::size_t turn = first.size() - 1;
    half(from, middle, route.first(turn));
    const std::size_t second = class_of_link.size();
    half(middle, to, route.subspan(turn));
    for (std::size_t i = second; i < class_of_link.size(); ++i) class_of_link[i] += classes;
  };
  net.classes *= 2;
}

std::vector<int> place_ranks(const network& net, int ranks, std::span<const int> places) {
  if (places.empty()) {
    if (ranks > net.pus)
      throw usage_error(
          fmt::format("{} ranks exceed the {} PUs of {}; use a placement with several ranks per PU or a larger network",
                      ranks, net.pus, net.name));
    std::vector<int> identity(static_cast<std::size_t>(ranks));
    std::iota(identity.begin(), identity.end(), 0);
    return identity;
  }
  if (places.size() != static_cast<std::size_t>(ranks))
    throw usage_error(fmt::format("the placement has {} entries, the plan has {} ranks; both numbers must be equal",
                                  places.size(), ranks));
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    if (places[rank] < 0 || places[rank] >= net.pus)
      throw usage_error(fmt::format("placement of rank {} on PU {}: this PU does not exist; {} has the PUs 0 to {}", rank,
                                    places[rank], net.name, net.pus - 1));
  return {places.begin(), places.end()};
}

}  // namespace osteon::net
