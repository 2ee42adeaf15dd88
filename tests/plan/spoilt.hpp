#pragma once
// Whole plans for tests: visibility orders, faults in words, and plans that can be spoilt.
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

// A plan whose steps are known as a whole, so that a test can spoil it.
struct written_out {
  plan original;
  std::vector<rank_plan> ranks;

  explicit written_out(const plan& p) : original(p) {
    for (int r = 0; r < p.ranks; ++r) ranks.push_back(p.of(r));
  }
  plan as_plan() const {
    return {original.name, original.ranks, original.elements,
            [this](int r) { return ranks.at(static_cast<std::size_t>(r)); }};
  }
};

}  // namespace osteon::plan
