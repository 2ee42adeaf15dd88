#pragma once
// Complete plans for tests. The file contains visibility orders, texts of faults, and plans that can be damaged.
#include <algorithm>
#include <numeric>
#include <osteon/plan/verify.hpp>
#include <random>

namespace osteon::plan {

inline std::vector<int> shuffled(int n, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

inline std::string words(const std::vector<problem>& problems) {
  std::string text;
  for (const auto& p : problems) text += p.where + ": " + p.text + "\n";
  return text;
}

// A plan with an explicit list of messages, which a test can damage.
struct written_out {
  plan original;
  std::vector<rank_plan> ranks;

  explicit written_out(const plan& p) : original(p) {
    for (int r = 0; r < p.ranks; ++r) ranks.push_back(p.part(r));
  }
  plan as_plan() const { return plan_of(original.name, original.elements, ranks); }

  // The other end of a message in a round, in the lists of the peer. The result is null if there is no other end.
  message* other_end(std::size_t rank, std::size_t number, bool sends, const message& m) {
    round& there = ranks[static_cast<std::size_t>(m.peer)].rounds[number];
    for (message& other : sends ? there.receives : there.sends)
      if (other.peer == static_cast<int>(rank) && other.elements == m.elements) return &other;
    return nullptr;
  }
};

}  // namespace osteon::plan
