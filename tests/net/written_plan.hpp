#pragma once
// Plans that a test writes as a list of messages.
#include <osteon/plan/plan.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::net_test {

struct written_message {
  int round, from, to;
  plan::span elements;
  plan::arrival arrival = plan::arrival::blend_back;
};

inline plan::plan written_plan(int ranks, std::int64_t elements, const std::vector<written_message>& messages,
                               std::string name = "written") {
  std::vector<plan::rank_plan> parts(static_cast<std::size_t>(ranks));
  const auto round = [&](int rank, int number) -> plan::round& {
    auto& rounds = parts[static_cast<std::size_t>(rank)].rounds;
    if (rounds.size() <= static_cast<std::size_t>(number)) rounds.resize(static_cast<std::size_t>(number) + 1);
    return rounds[static_cast<std::size_t>(number)];
  };
  for (const auto& m : messages) {
    round(m.from, m.round).sends.push_back({m.to, m.elements, m.arrival});
    round(m.to, m.round).receives.push_back({m.from, m.elements, m.arrival});
  }
  return plan::plan_of(std::move(name), elements, std::move(parts));
}

}  // namespace osteon::net_test
