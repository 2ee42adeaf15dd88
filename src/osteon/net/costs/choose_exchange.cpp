#include <osteon/net/costs/choose.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/conflicts.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>

namespace osteon::net {

namespace {

std::vector<std::string> candidates(const network& net, int ranks) {
  std::vector<std::string> names;
  const bool grid = net.shape.size() > 1 && net.pus == ranks && !net.order.empty();
  if (grid) names.push_back(fmt::format("shift:{}", fmt::join(net.shape, "x")));
  for (const char* name : {"ring", "xor", "pairwise", "bruck"}) names.emplace_back(name);
  // Groups of close ranks. A group is a line of a grid, a leaf of a fat tree, or a router or a group of a dragonfly.
  int group = 1;
  const bool first_is_near = net.kind == topology::fat_tree || net.kind == topology::dragonfly;
  for (std::size_t d = 0; d + 1 < net.shape.size(); ++d) {
    group *= net.shape[first_is_near ? d : net.shape.size() - 1 - d];
    if (group > 1 && group < ranks) names.push_back(fmt::format("hierarchical:{}", group));
  }
  return names;
}

// Maximum over all links of the busy time. The maximum is independent of the order of messages.
double fullest_link(const network& net, const plan::plan& plan, std::span<const int> place) {
  std::vector<double> seconds(net.links.size());
  std::vector<int> route;
  for (int rank = 0; rank < plan.ranks; ++rank)
    for (std::int64_t round = 0; round < plan.rounds; ++round)
      for (const plan::message& m : plan.of(rank, round).sends) {
        route.clear();
        net.append_route(place[static_cast<std::size_t>(rank)], place[static_cast<std::size_t>(m.peer)], route);
        for (const int l : route)
          seconds[static_cast<std::size_t>(l)] +=
              static_cast<double>(plan.bytes(m)) / net.links[static_cast<std::size_t>(l)].rate;
      }
  return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace

std::vector<exchange_choice> choose_exchange(const network& net, const plan::parcel_sizes& sizes, int ranks,
                                             const simulate_options& options, std::span<const int> places) {
  const std::vector<int> place = place_ranks(net, ranks, places);
  if (ranks > most_messages_to_count / ranks)
    throw usage_error(
        fmt::format("an all-to-all exchange of {} ranks exceeds the limit of {} messages; use a smaller network of the same "
                    "kind, or `osteon net simulate --rounds` for a subset of the rounds",
                    ranks, most_messages_to_count));
  std::vector<exchange_choice> all;
  for (const std::string& name : candidates(net, ranks)) {
    const plan::plan plan = plan::make_exchange(name, {.ranks = ranks, .sizes = sizes});
    exchange_choice one{name, cost_of(net, plan, options, place), 0};
    one.seconds = options.barrier ? one.cost.busiest_links : std::max(one.cost.total, fullest_link(net, plan, place));
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.cost.bytes < b.cost.bytes;
  });
  return all;
}

}  // namespace osteon::net
