#pragma once
// Plans that a test writes down as a list of messages.
#include <memory>
#include <osteon/plan/plan.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::net_test {

struct written_message {
  int round, from, to;
  plan::span elements;
  plan::action arrival = plan::action::blend_back;
};

inline plan::plan written_plan(int ranks, std::int64_t elements, const std::vector<written_message>& messages,
                               std::string name = "written") {
  auto all = std::make_shared<std::vector<plan::rank_plan>>(static_cast<std::size_t>(ranks));
  for (const auto& m : messages)
    for (const auto& [rank, step] : {std::pair{m.from, plan::step{plan::action::send, m.to, m.elements}},
                                     std::pair{m.to, plan::step{m.arrival, m.from, m.elements}}}) {
      auto& rounds = (*all)[static_cast<std::size_t>(rank)].rounds;
      if (rounds.size() <= static_cast<std::size_t>(m.round)) rounds.resize(static_cast<std::size_t>(m.round) + 1);
      rounds[static_cast<std::size_t>(m.round)].steps.push_back(step);
    }
  return {std::move(name), ranks, elements, [all](int rank) { return (*all)[static_cast<std::size_t>(rank)]; }};
}

}  // namespace osteon::net_test
