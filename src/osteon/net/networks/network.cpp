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
    if (pu < 0 || pu >= pus) throw usage_error(fmt::format("PU {}: {} has the PUs 0 to {}", pu, name, pus - 1));
  std::vector<int> path;
  append_route(from, to, path);
  return path;
}

std::string network::link_name(int which) const {
  const link& l = links[static_cast<std::size_t>(which)];
  return fmt::format("{} -> {}", vertex_name(l.from), vertex_name(l.to));
}

void route_by_random_pu(network& what, std::uint64_t seed) {
  what.minimal = false;
  const auto middle_of = [pus = static_cast<std::uint64_t>(what.pus), seed](int from, int to) {
    const auto pair = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint64_t>(to);
    return static_cast<int>(splitmix64(pair ^ splitmix64(seed)) % pus);
  };
  const auto direct = what.append_route;
  what.append_route = [direct, middle_of](int from, int to, std::vector<int>& path) {
    if (from == to) return;
    const int middle = middle_of(from, to);
    if (middle == from || middle == to) return direct(from, to, path);
    direct(from, middle, path);
    path.pop_back();  // turns round in the switch, not in the PU
    const auto turn = path.size();
    direct(middle, to, path);
    path.erase(path.begin() + static_cast<std::ptrdiff_t>(turn));
  };
  // The second half of the route has separate classes, without dependencies back to those of the first half.
  what.append_classes = [direct, middle_of, classes_of = what.append_classes, classes = what.classes](
                            int from, int to, std::span<const int> way, std::vector<int>& of) {
    const auto half = [&](int a, int b, std::span<const int> part) {
      if (classes_of)
        classes_of(a, b, part, of);
      else
        of.insert(of.end(), part.size(), 0);
    };
    const int middle = middle_of(from, to);
    if (middle == from || middle == to) return half(from, to, way);
    std::vector<int> first;
    direct(from, middle, first);
    const std::size_t turn = first.size() - 1;
    half(from, middle, way.first(turn));
    const std::size_t second = of.size();
    half(middle, to, way.subspan(turn));
    for (std::size_t i = second; i < of.size(); ++i) of[i] += classes;
  };
  what.classes *= 2;
}

std::vector<int> place_ranks(const network& where, int ranks, std::span<const int> places) {
  if (places.empty()) {
    if (ranks > where.pus)
      throw usage_error(fmt::format(
          "{} ranks on {}, which has {} PUs: pass a placement with several ranks per PU, or use a larger network", ranks,
          where.name, where.pus));
    std::vector<int> identity(static_cast<std::size_t>(ranks));
    std::iota(identity.begin(), identity.end(), 0);
    return identity;
  }
  if (places.size() != static_cast<std::size_t>(ranks))
    throw usage_error(
        fmt::format("a placement of {} ranks for a plan of {}: must contain a PU for each rank", places.size(), ranks));
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    if (places[rank] < 0 || places[rank] >= where.pus)
      throw usage_error(fmt::format("placement of rank {} on PU {}: {} has the PUs 0 to {}", rank, places[rank], where.name,
                                    where.pus - 1));
  return {places.begin(), places.end()};
}

}  // namespace osteon::net
