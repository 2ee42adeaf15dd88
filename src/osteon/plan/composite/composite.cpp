#include <osteon/plan/composite/composite.hpp>

#include <memory>
#include <osteon/plan/visibility_order.hpp>

namespace osteon::plan {

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
