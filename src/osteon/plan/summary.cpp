#include <osteon/plan/verify.hpp>

#include <algorithm>

namespace osteon::plan {

namespace {

std::int64_t count_distinct(std::vector<int>& peers) {
  std::sort(peers.begin(), peers.end());
  return std::unique(peers.begin(), peers.end()) - peers.begin();
}

}  // namespace

plan_summary summarise(const plan& plan) {
  plan_summary result;
  std::vector<int> to, from;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    std::int64_t sent = 0, received = 0;
    for (std::int64_t r = 0; r < plan.rounds; ++r) {
      const round now = plan.of(rank, r);
      to.clear();
      from.clear();
      for (const message& m : now.sends) to.push_back(m.peer), sent += m.size();
      for (const message& m : now.receives) from.push_back(m.peer), received += m.size();
      if (now.empty()) continue;
      const bool joins = plan.moves == cargo::object;
      result.rounds = std::max(result.rounds, r + 1);
      result.pieces += std::ssize(to);
      result.messages += joins ? count_distinct(to) : std::ssize(to);
      result.most_messages_in = std::max(result.most_messages_in, joins ? count_distinct(from) : std::ssize(from));
      if (joins) result.most_staged = std::max(result.most_staged, staged_elements(now));
    }
    result.sent_elements += sent;
    result.most_sent = std::max(result.most_sent, sent);
    result.most_received = std::max(result.most_received, received);
  }
  return result;
}

}  // namespace osteon::plan
