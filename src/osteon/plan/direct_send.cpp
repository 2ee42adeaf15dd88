#include <osteon/plan/generators.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::plan {

composite direct_send(const composite_task& task, int messages_per_round) {
  if (messages_per_round < 0)
    throw usage_error(fmt::format("a direct send of at most {} messages a round: allow at least 1, or 0 for all at once",
                                  messages_per_round));
  const send_slots slots{task.members};
  const partition stripes{task.elements, task.members};
  const int per_round = messages_per_round == 0 ? std::max(1, slots.count()) : messages_per_round;

  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = (slots.count() + per_round - 1) / per_round;
  result.owned = [stripes](int index) { return std::vector<span>{stripes.part(index)}; };
  result.of = [=, members = task.members, rounds = result.rounds](int index) {
    rank_plan mine;
    mine.rounds.resize(static_cast<std::size_t>(rounds));
    const auto add = [&](int slot, action what, int peer, span stripe) {
      if (peer >= 0 && peer < members && stripe.size() > 0)
        mine.rounds[static_cast<std::size_t>(slot / per_round)].steps.push_back({what, peer, stripe});
    };
    const auto stripe_of = [&](int owner) { return stripes.part(std::clamp(owner, 0, members - 1)); };
    for (int d = 1; d < members; ++d) {
      add(slots.from_front(d), action::send, index + d, stripe_of(index + d));
      add(slots.from_front(d), action::blend_front, index - d, stripe_of(index));
      add(slots.from_back(d), action::send, index - d, stripe_of(index - d));
      add(slots.from_back(d), action::blend_back, index + d, stripe_of(index));
    }
    mine.result = {stripes.part(index)};
    return mine;
  };
  return result;
}

}  // namespace osteon::plan
