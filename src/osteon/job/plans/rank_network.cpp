#include <osteon/job/plans/rank_network.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/kth_smallest.hpp>
#include <vector>

namespace osteon::job {

namespace {

int rounded_up(int a, int b) { return (a + b - 1) / b; }

void check_fit(int ranks, int hosts, int ranks_per_host, const std::string& what) {
  if (static_cast<std::int64_t>(hosts) * ranks_per_host < ranks)
    throw usage_error(fmt::format(
        "{} ranks with {} per host require {}, but {} has {}; raise --ranks-per-host or specify a larger network", ranks,
        ranks_per_host, counted(rounded_up(ranks, ranks_per_host), "host"), what, hosts));
}

// Create a network with one PU per rank. The network contains the ports of the memory of each host. The first links are the
// ports into and out of memory, in the order of ranks. These links precede the links of the network between hosts. `between`
// appends the links between two hosts.
net::network with_memory(int ranks, const machine::link& memory, double memory_latency) {
  net::network made;
  made.kind = net::topology::graph;
  made.pus = ranks;
  made.vertices = ranks;
  made.shape = {ranks};
  for (int r = 0; r < ranks; ++r)
    made.links.push_back({r, r, net::link_kind::injection, 1, memory.bandwidth, memory_latency});
  for (int r = 0; r < ranks; ++r) made.links.push_back({r, r, net::link_kind::ejection, 1, memory.bandwidth, 0});
  return made;
}

constexpr machine::link usual_memory{0.5e-6, 8e9}, usual_link{1.5e-6, 12e9};  // these values equal those of machine::assumed

double quantile(std::vector<double> values, double share) {
  const auto k = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return kth_smallest(std::move(values), k);
}

// The link of each host to the other hosts. If one of the links has not been measured, the list is empty.
std::vector<machine::link> ports_of_hosts(const machine::description& machine, const machine::host_links& between) {
  std::vector<machine::link> ports;
  for (int h = 0; h < between.hosts() && between.hosts() > 1; ++h) {
    std::vector<double> rates, latencies;
    for (int other = 0; other < between.hosts(); ++other)
      if (other != h) {
        rates.push_back(between.between(h, other).bandwidth);
        latencies.push_back(between.between(h, other).latency_s);
      }
    ports.push_back({quantile(latencies, 0.5), quantile(rates, 0.75)});
    if (!ports.back().known())
      throw data_error(fmt::format("the links of host {} were not measured", machine.hosts.name(h)));
  }
  return ports;
}

machine::link middle_of(const std::vector<machine::link>& ports) {
  std::vector<double> rates, latencies;
  for (const machine::link& port : ports) {
    rates.push_back(port.bandwidth);
    latencies.push_back(port.latency_s);
  }
  return {quantile(latencies, 0.5), quantile(rates, 0.5)};
}

}  // namespace

rank_network network_of_machine(const machine::description& machine, int ranks, int ranks_per_host) {
  const int hosts_there = machine.hosts.size();
  int cores = 1;
  for (int h = 0; h < hosts_there; ++h)
    cores = std::max(cores, static_cast<int>(machine.hosts.tree(h).usable_cores().size()));
  if (ranks_per_host <= 0) ranks_per_host = std::max(1, std::min(cores, rounded_up(ranks, hosts_there)));
  rank_network found;
  found.ranks_per_host = ranks_per_host;
  found.hosts = rounded_up(ranks, ranks_per_host);

  // Ranks of a host send simultaneously. Inside a host, the measurements under load are therefore used.
  const machine::path_speeds* const inside = machine.loaded     ? &*machine.loaded
                                             : machine.isolated ? &*machine.isolated
                                                                : nullptr;
  const machine::path_speeds* const alone = machine.isolated ? &*machine.isolated : inside;
  if (!inside) throw data_error("the machine file contains no links; measure the links with `osteon probe -o machine.json`");
  machine::link memory = usual_memory;
  if (const auto known = inside->within_host(machine::path::inter_l3); known && known->known())
    memory = *known;
  else if (ranks_per_host > 1)
    found.assumed.push_back(
        "the links inside hosts were not measured: a latency of 0.5 us and a bandwidth of 8 GB/s are used");
  std::vector<machine::link> ports;
  if (found.hosts > 1) {
    ports = ports_of_hosts(machine, alone->between.hosts() > 1 ? alone->between : inside->between);
    if (std::ssize(ports) < found.hosts) {
      machine::link more = usual_link;
      if (ports.empty())
        found.assumed.push_back(
            "the links between hosts were not measured: a latency of 1.5 us and a bandwidth of 12 GB/s are used");
      else
        more = middle_of(ports);
      if (hosts_there < found.hosts)
        found.assumed.push_back(fmt::format("the machine has only {}; {} further hosts have the values of the median host",
                                            counted(hosts_there, "host"), found.hosts - hosts_there));
      ports.resize(static_cast<std::size_t>(found.hosts), more);
    }
    ports.resize(static_cast<std::size_t>(found.hosts));
  }
  std::vector<int> host_of(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) host_of[static_cast<std::size_t>(r)] = r / ranks_per_host;
  rank_network made = network_of_hosts(host_of, memory, ports);
  made.ranks_per_host = ranks_per_host;
  made.assumed = std::move(found.assumed);
  return made;
}

rank_network network_of_hosts(const std::vector<int>& host_of, const machine::link& memory,
                              const std::vector<machine::link>& ports) {
  const int ranks = static_cast<int>(host_of.size());
  rank_network found;
  found.hosts = std::max(1, static_cast<int>(ports.size()));
  std::vector<int> there(static_cast<std::size_t>(found.hosts));
  for (const int h : host_of) ++there[static_cast<std::size_t>(h)];
  found.ranks_per_host = *std::max_element(there.begin(), there.end());
  found.overhead_s = found.overhead_in_host_s = memory.latency_s / 4;
  found.where = with_memory(ranks, memory, memory.latency_s / 2);
  found.words = fmt::format("{} with {} each", counted(found.hosts, "host"), counted(found.ranks_per_host, "rank"));
  if (found.hosts > 1) {
    double latency = 0;
    for (int h = 0; h < found.hosts; ++h) {
      const machine::link& port = ports[static_cast<std::size_t>(h)];
      latency = std::max(latency, port.latency_s);
      const int vertex = ranks + h;
      // Half of the latency belongs to the outgoing link. The other half is overhead at the two ends.
      found.where.links.push_back({vertex, vertex, net::link_kind::up, 1, port.bandwidth, port.latency_s / 2});
      found.where.links.push_back({vertex, vertex, net::link_kind::down, 1, port.bandwidth, 0});
    }
    found.where.vertices += found.hosts;
    found.overhead_s = latency / 4;
  }
  found.where.name = found.words;
  found.where.append_route = [ranks, host_of](int from, int to, std::vector<int>& path) {
    if (from == to) return;
    path.push_back(from);
    const int a = host_of[static_cast<std::size_t>(from)], b = host_of[static_cast<std::size_t>(to)];
    if (a != b) path.insert(path.end(), {2 * ranks + 2 * a, 2 * ranks + 2 * b + 1});
    path.push_back(ranks + to);
  };
  found.where.vertex_name = [ranks](int v) {
    return v < ranks ? fmt::format("rank {}", v) : fmt::format("host {}", v - ranks);
  };
  return found;
}

rank_network network_of_model(std::shared_ptr<const net::network> model, const machine::link& memory, int ranks,
                              int ranks_per_host) {
  // A host has at most some hundred cores. If a network would need more ranks per host, the network is too small, and an
  // error is thrown.
  constexpr int most_by_itself = 512;
  if (ranks_per_host <= 0) ranks_per_host = std::min(most_by_itself, rounded_up(ranks, model->pus));
  check_fit(ranks, model->pus, ranks_per_host, model->name);
  rank_network found;
  found.ranks_per_host = ranks_per_host;
  found.hosts = rounded_up(ranks, ranks_per_host);
  found.overhead_in_host_s = memory.latency_s / 4;
  found.overhead_s = found.hosts > 1 ? model->startup : found.overhead_in_host_s;
  found.words = fmt::format("{} with {} on each of {} PUs", model->name, counted(ranks_per_host, "rank"), found.hosts);
  found.where = with_memory(ranks, memory, memory.latency_s / 2);
  found.where.name = found.words;
  for (net::link l : model->links) {
    l.from += ranks;
    l.to += ranks;
    found.where.links.push_back(l);
  }
  found.where.vertices = ranks + model->vertices;
  found.where.append_route = [model, ranks, ranks_per_host](int from, int to, std::vector<int>& path) {
    if (from == to) return;
    path.push_back(from);
    const int a = from / ranks_per_host, b = to / ranks_per_host;
    if (a != b) {
      const auto before = static_cast<std::ptrdiff_t>(path.size());
      model->append_route(a, b, path);
      std::for_each(path.begin() + before, path.end(), [ranks](int& l) { l += 2 * ranks; });
    }
    path.push_back(ranks + to);
  };
  found.where.vertex_name = [model, ranks](int v) {
    return v < ranks ? fmt::format("rank {}", v) : model->vertex_name(v - ranks);
  };
  return found;
}

}  // namespace osteon::job
