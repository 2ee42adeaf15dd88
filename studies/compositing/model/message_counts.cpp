#include <studies/compositing/model/message_counts.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/plan/composite/composite_method.hpp>

namespace osteon::studies {

std::vector<messages_of_method> count_messages(const std::vector<std::string>& methods, int most_ranks) {
  constexpr std::int64_t pixels = 512 * 512;
  std::vector<messages_of_method> result;
  for (const std::string& name : methods) {
    const auto method = plan::composite_method::parse(name);
    messages_of_method found{name, {}};
    for (int ranks = 2; ranks <= most_ranks; ranks *= 2) {
      std::vector<int> order(static_cast<std::size_t>(ranks));
      std::iota(order.begin(), order.end(), 0);
      const plan::plan plan = method.make(ranks, pixels, order, -1);
      message_count count{ranks, 0, 0};
      std::vector<int> peers;
      for (int rank = 0; rank < ranks; ++rank) {
        std::int64_t sent = 0;
        for (std::int64_t n = 0; n < plan.rounds; ++n) {
          peers.clear();
          for (const plan::message& m : plan.of(rank, n).sends) peers.push_back(m.peer);
          std::sort(peers.begin(), peers.end());
          sent += std::unique(peers.begin(), peers.end()) - peers.begin();
        }
        count.most = std::max(count.most, sent);
        count.all += sent;
      }
      found.counts.push_back(count);
    }
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace osteon::studies
