#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement {

namespace {

std::vector<machine::place> all_places(const machine::host_list& hosts) {
  std::vector<machine::place> places;
  for (int h = 0; h < hosts.size(); ++h)
    for (const int core : hosts.tree(h).usable_cores()) places.push_back({h, core});
  if (places.empty()) throw data_error("the machine has no usable core; check the cgroups or the machine file");
  return places;
}

}  // namespace

std::vector<std::vector<int>> target::by_host() const {
  std::vector<std::vector<int>> result(static_cast<std::size_t>(hosts()));
  for (std::size_t p = 0; p < places.size(); ++p)
    result[static_cast<std::size_t>(places[p].host)].push_back(static_cast<int>(p));
  for (auto& list : result)
    std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
      return places[static_cast<std::size_t>(a)].core < places[static_cast<std::size_t>(b)].core;
    });
  return result;
}

target every_core(machine::description machine) {
  auto places = all_places(machine.hosts);
  host_network network = network_of(machine);
  return {std::move(machine), std::move(places), std::move(network)};
}

target every_core(machine::description machine, std::shared_ptr<const net::network> model) {
  auto places = all_places(machine.hosts);
  host_network network = network_of(std::move(model), machine.hosts.size());
  return {std::move(machine), std::move(places), std::move(network)};
}

std::array<path_cost, machine::paths_inside> costs_inside(const machine::description& machine) {
  const machine::path_speeds assumed = *machine::assumed({}).isolated;
  std::array<path_cost, machine::paths_inside> costs;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto p = static_cast<machine::path>(i);
    std::optional<machine::link> link;
    if (machine.isolated) link = machine.isolated->within_host(p);
    if (!link || !link->known()) link = assumed.within_host(p);
    costs[i] = {link->latency_s, 1 / link->bandwidth};
  }
  return costs;
}

}  // namespace osteon::placement
