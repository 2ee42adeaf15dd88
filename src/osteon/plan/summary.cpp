#include <osteon/plan/verify.hpp>

#include <algorithm>

namespace osteon::plan {

namespace {

std::int64_t count_distinct(std::vector<int>& peers) {
  std::sort(peers.begin(), peers.end());
  return std::unique(peers.begin(), peers.end()) - peers.begin();
}

}  // namespace

plan_summary summarise(const plan& what) {
  plan_summary result;
  std::vector<int> to, from;
  for (int rank = 0; rank < what.ranks; ++rank) {
    const rank_plan mine = what.of(rank);
    std::int64_t sent = 0, received = 0, rounds = 0;
    for (std::size_t r = 0; r < mine.rounds.size(); ++r) {
      to.clear();
      from.clear();
      for (const step& s : mine.rounds[r].steps) {
        (s.what == action::send ? to : from).push_back(s.peer);
        (s.what == action::send ? sent : received) += s.elements.size();
      }
      if (to.empty() && from.empty()) continue;
      rounds = static_cast<std::int64_t>(r) + 1;
      result.pieces += static_cast<std::int64_t>(to.size());
      result.messages += count_distinct(to);
      result.most_messages_in = std::max(result.most_messages_in, count_distinct(from));
      result.most_staged = std::max(result.most_staged, staged_elements(mine.rounds[r]));
    }
    result.rounds = std::max(result.rounds, rounds);
    result.sent_elements += sent;
    result.most_sent = std::max(result.most_sent, sent);
    result.most_received = std::max(result.most_received, received);
  }
  return result;
}

}  // namespace osteon::plan
