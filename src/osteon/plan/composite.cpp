#include <osteon/plan/composite.hpp>

#include <fmt/format.h>

#include <memory>
#include <osteon/base/error.hpp>

namespace osteon::plan {

std::vector<int> indices_of_ranks(std::span<const int> order) {
  std::vector<int> result(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int rank = order[i];
    if (rank < 0 || static_cast<std::size_t>(rank) >= order.size() || result[static_cast<std::size_t>(rank)] >= 0)
      throw usage_error(
          fmt::format("visibility order of {} entries with rank {} at index {}: it must name each of the ranks 0 to {} once",
                      order.size(), rank, i, order.size() - 1));
    result[static_cast<std::size_t>(rank)] = static_cast<int>(i);
  }
  return result;
}

void check_request(const std::string& name, int ranks, std::int64_t elements, std::span<const int> order, int root) {
  if (ranks < 1 || elements < 0 || root < -1 || root >= ranks)
    throw usage_error(
        fmt::format("{} of {} elements among {} ranks with root {}: it needs at least one rank, no negative number of "
                    "elements and a root from 0 to {} (or -1 for none)",
                    name, elements, ranks, root, ranks - 1));
  if (order.size() != static_cast<std::size_t>(ranks))
    throw usage_error(fmt::format("visibility order of {} entries for {} ranks: name each rank once", order.size(), ranks));
}

plan in_order(std::string name, composite by_index, std::span<const int> order) {
  struct named {
    composite by_index;
    std::vector<int> rank_at, index_of;
  };
  const auto shared =
      std::make_shared<const named>(named{std::move(by_index), {order.begin(), order.end()}, indices_of_ranks(order)});
  plan result{.name = std::move(name),
              .ranks = shared->by_index.members,
              .rounds = shared->by_index.rounds,
              .elements = shared->by_index.elements};
  result.of = [shared](int rank, std::int64_t number) {
    round now = shared->by_index.of(shared->index_of.at(static_cast<std::size_t>(rank)), static_cast<int>(number));
    for (auto* const messages : {&now.sends, &now.receives})
      for (message& m : *messages) m.peer = shared->rank_at[static_cast<std::size_t>(m.peer)];
    return now;
  };
  result.result = [shared](int rank) { return shared->by_index.owned(shared->index_of.at(static_cast<std::size_t>(rank))); };
  return result;
}

}  // namespace osteon::plan
