#include <osteon/plan/plan.hpp>

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace osteon::plan {

rank_plan plan::part(int rank) const {
  rank_plan result_of_rank;
  for (std::int64_t r = 0; r < rounds; ++r) result_of_rank.rounds.push_back(of(rank, r));
  if (result) result_of_rank.result = result(rank);
  return result_of_rank;
}

plan plan_of(std::string name, std::int64_t elements, std::vector<rank_plan> parts) {
  plan made{.name = std::move(name), .ranks = static_cast<int>(parts.size()), .elements = elements};
  for (const rank_plan& p : parts) made.rounds = std::max(made.rounds, std::ssize(p.rounds));
  const auto all = std::make_shared<const std::vector<rank_plan>>(std::move(parts));
  made.of = [all](int rank, std::int64_t r) {
    const auto& rounds = (*all)[static_cast<std::size_t>(rank)].rounds;
    return r < std::ssize(rounds) ? rounds[static_cast<std::size_t>(r)] : round{};
  };
  made.result = [all](int rank) { return (*all)[static_cast<std::size_t>(rank)].result; };
  return made;
}

plan plan_of(std::string name, int ranks, const std::vector<listed_message>& messages) {
  using by_round = std::unordered_map<std::int64_t, round>;
  const auto all = std::make_shared<std::vector<by_round>>(static_cast<std::size_t>(ranks));
  plan made{.name = std::move(name), .ranks = ranks, .moves = cargo::bytes};
  for (const listed_message& m : messages) {
    (*all)[static_cast<std::size_t>(m.from)][m.round].sends.push_back({m.to, {0, m.bytes}});
    (*all)[static_cast<std::size_t>(m.to)][m.round].receives.push_back({m.from, {0, m.bytes}});
    made.rounds = std::max(made.rounds, m.round + 1);
  }
  made.of = [all](int rank, std::int64_t number) {
    if (rank >= std::ssize(*all)) return round{};  // the plan may have more ranks than parts
    const by_round& own = (*all)[static_cast<std::size_t>(rank)];
    const auto found = own.find(number);
    return found == own.end() ? round{} : found->second;
  };
  return made;
}

std::vector<transfer> transfers(const plan& plan, const std::vector<message>& messages) {
  std::vector<transfer> result;
  result.reserve(messages.size());
  std::unordered_map<int, std::size_t> of_peer;
  for (const message& m : messages) {
    const std::int64_t bytes = plan.bytes(m), combined = m.is_combined() ? bytes : 0;
    if (plan.moves == cargo::object && messages.size() > 1) {
      const auto [found, first] = of_peer.emplace(m.peer, result.size());
      if (!first) {
        result[found->second].bytes += bytes;
        result[found->second].combined += combined;
        continue;
      }
    }
    result.push_back({m.peer, bytes, combined});
  }
  return result;
}

}  // namespace osteon::plan
