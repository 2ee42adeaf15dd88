#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/bisection.hpp>
#include <osteon/placement/mapping/grouping.hpp>
#include <osteon/placement/mapping/mapping.hpp>
#include <osteon/placement/mapping/scotch_start.hpp>
#include <osteon/placement/mapping/swap_search.hpp>
#include <osteon/placement/place.hpp>

namespace osteon::placement {

namespace {

constexpr std::array<std::string_view, 5> method_names = {"best", "paper", "groups", "input", "random"};

struct job {
  const graph& g;
  const target& available;
  const options& search;
  std::vector<std::vector<int>> places;  // places of each host in the order of cores
  std::vector<int> capacity;             // number of places of each host
};

std::vector<int> identity(int n) {
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::int64_t scaled(double effort, std::int64_t proposals) {
  return static_cast<std::int64_t>(effort * static_cast<double>(proposals));
}

// Assign the subdomains of each host to its cores. Subdomains and cores are in their order.
std::vector<int> cores_in_order(const job& j, const std::vector<int>& host) {
  std::vector<int> next(j.places.size(), 0), place;
  for (const int h : host) place.push_back(j.places[at(h)][at(next[at(h)]++)]);
  return place;
}

// Hosts with equal trees and equal inner graphs have the same solution. The solution is computed once. With bricks, most
// inner graphs are equal.
struct inner_problem {
  int tree;
  std::vector<int> cores;
  std::vector<std::int64_t> begin, weight;
  std::vector<std::int32_t> to;
  auto operator<=>(const inner_problem&) const = default;
};

std::vector<int> cores_by_search(const job& j, const std::vector<int>& host) {
  const double message = mean_message(j.g);
  std::vector<std::vector<int>> members(j.places.size());
  for (int v = 0; v < j.g.size(); ++v) members[at(host[at(v)])].push_back(v);
  using solved = std::map<inner_problem, std::vector<int>>::value_type;
  std::map<inner_problem, std::vector<int>> known;
  std::vector<solved*> of_host(j.places.size());
  std::vector<std::pair<int, solved*>> work;
  for (std::size_t h = 0; h < j.places.size(); ++h) {
    const graph inside = induced(j.g, members[h]);
    inner_problem problem{
        j.available.machine.hosts.tree_of(static_cast<int>(h)), {}, inside.begin, inside.weight, inside.to};
    for (const int p : j.places[h]) problem.cores.push_back(j.available.places[at(p)].core);
    const auto [entry, is_new] = known.try_emplace(std::move(problem));
    of_host[h] = &*entry;
    if (is_new) work.emplace_back(static_cast<int>(h), of_host[h]);
  }
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t i = 0; i < work.size(); ++i) {
    const inner_problem& p = work[i].second->first;
    graph inside;
    inside.begin = p.begin, inside.to = p.to, inside.weight = p.weight;
    work[i].second->second = map_to_cores(inside, j.available.machine.hosts.tree(work[i].first), p.cores,
                                          costs_between_cores(j.available, work[i].first, p.cores, message), j.search.seed);
  }
  std::vector<int> place(host.size());
  for (std::size_t h = 0; h < members.size(); ++h)
    for (std::size_t i = 0; i < members[h].size(); ++i) place[at(members[h][i])] = j.places[h][at(of_host[h]->second[i])];
  return place;
}

// Method of [Ito]. The graph is partitioned into one part for each host. Group g is assigned to host g. Scotch maps the
// subdomains of each host to its cores. The distances are those of the tree. Without Scotch, the method uses recursive
// bisection and the search of osteon.
std::vector<int> by_paper(const job& j, placement& result) {
  std::optional<std::vector<int>> host;
  if (j.search.use_scotch) host = scotch_partition(j.g, j.capacity, j.search.seed);
  result.how.push_back(fmt::format("groups from {}, group g on host g", host ? "Scotch" : "recursive bisection"));
  if (!host) host = recursive_bisection(j.g, j.capacity, j.search.seed);
  if (j.search.how == method::groups) return cores_in_order(j, *host);
  std::vector<int> place = cores_by_search(j, *host);
  if (!j.search.use_scotch || scotch_version().empty()) {
    result.how.push_back("cores by levels of the tree");
    return place;
  }
  result.how.push_back("cores by Scotch, from distances in the tree");
  for (std::size_t h = 0; h < j.places.size(); ++h) {
    std::vector<int> members, cores, distance;
    for (int v = 0; v < j.g.size(); ++v)
      if ((*host)[at(v)] == static_cast<int>(h)) members.push_back(v);
    const machine::host_tree& tree = j.available.machine.hosts.tree(static_cast<int>(h));
    for (const int p : j.places[h]) cores.push_back(j.available.places[at(p)].core);
    for (const int a : cores)
      for (const int b : cores) distance.push_back(tree_distance(tree, a, b));
    if (members.size() < 2) continue;
    if (const auto mapped = scotch_mapping(induced(j.g, members), static_cast<int>(cores.size()), distance, j.search.seed))
      for (std::size_t i = 0; i < members.size(); ++i) place[at(members[i])] = j.places[h][at((*mapped)[i])];
  }
  return place;
}

std::vector<int> by_search(const job& j, placement& result) {
  const int n = j.g.size(), hosts = j.available.hosts();
  grouping groups =
      group(j.g, j.capacity, {j.search.seed, j.search.grid, scaled(j.search.effort, 40'000'000), j.search.use_scotch});
  result.how.push_back("groups from " + groups.begun_from);
  const graph between = quotient(j.g, groups.part, hosts);
  const host_mapping mapping =
      map_to_hosts(between, j.capacity, j.available.network, {j.search.seed, 12, scaled(j.search.effort, 36'000'000)});
  std::vector<int> host(at(n));
  for (int v = 0; v < n; ++v) host[at(v)] = mapping.host[at(groups.part[at(v)])];
  if (mapping.host != identity(hosts)) result.how.push_back("groups mapped to hosts");
  // Exchanges of single subdomains between hosts may further reduce the cost.
  if (!j.available.network.distance.empty()) {
    std::vector<int> joint = host;
    swap_search(j.g, j.capacity, joint, {j.available.network.distance.data(), hosts},
                {j.search.seed, std::min<std::int64_t>(2'000LL * n, 4'000'000), 0.1, 0.03});
    if (load_of(j.g, joint, j.available.network.links).score() <
        load_of(j.g, host, j.available.network.links).score() * (1 - 1e-9)) {
      host = std::move(joint);
      result.how.push_back("subdomains exchanged between hosts");
    }
  }
  std::vector<int> place = cores_by_search(j, host);
  result.how.push_back("cores by levels of the tree");
  return place;
}

void assess_random(const job& j, placement& result) {
  const int samples = j.g.size() <= 4096 ? 50 : 3;
  random_source random(j.search.seed);
  std::vector<int> place = identity(j.g.size());
  for (int i = 0; i < samples; ++i) {
    random.shuffle(place);
    const assessment now = assess(j.g, place, j.available);
    result.random_off_host_bytes += static_cast<double>(now.off_host_bytes) / samples;
    result.random_predicted_s += now.predicted_s() / samples;
  }
}

}  // namespace

method parse_method(std::string_view name) {
  for (std::size_t i = 0; i < method_names.size(); ++i)
    if (method_names[i] == name) return static_cast<method>(i);
  throw usage_error(fmt::format("unknown placement method '{}'; must be one of {}", name, fmt::join(method_names, ", ")));
}

std::string_view name_of(method m) { return method_names[static_cast<std::size_t>(m)]; }

placement place(const graph& g, const target& available, const options& options) {
  const stopwatch clock;
  if (g.size() > static_cast<int>(available.places.size()))
    throw usage_error(fmt::format("{} subdomains exceed {} cores on {} hosts; use fewer ranks or more hosts", g.size(),
                                  available.places.size(), available.hosts()));
  if (options.grid && std::int64_t{options.grid->blocks[0]} * options.grid->blocks[1] * options.grid->blocks[2] != g.size())
    throw usage_error(fmt::format("the grid of {} x {} x {} blocks does not match the graph of {} subdomains",
                                  options.grid->blocks[2], options.grid->blocks[1], options.grid->blocks[0], g.size()));
  job j{g, available, options, available.by_host(), {}};
  for (const auto& places : j.places) j.capacity.push_back(static_cast<int>(places.size()));
  placement result;
  const std::vector<int> input = identity(g.size());
  result.input = assess(g, input, available);
  switch (options.how) {
    case method::best:
      result.place = by_search(j, result);
      break;
    case method::paper:
    case method::groups:
      result.place = by_paper(j, result);
      break;
    case method::input:
      result.place = input;
      break;
    case method::random: {
      result.place = identity(static_cast<int>(available.places.size()));
      random_source random(options.seed);
      random.shuffle(result.place);
      result.place.resize(at(g.size()));
      break;
    }
  }
  result.result = assess(g, result.place, available);
  // Only method::best guarantees that the result is not worse than the input order.
  const bool is_worse = result.gain() < std::max(options.least_gain, 0.0) ||
                        result.result.predicted_s() > result.input.predicted_s() * (1 + 1e-9);
  if (options.how == method::best && is_worse) {
    result.place = input;
    result.result = result.input;
    result.kept_input = true;
  }
  if (options.how == method::input) result.kept_input = true;
  result.seconds = clock.seconds();
  assess_random(j, result);
  return result;
}

}  // namespace osteon::placement
