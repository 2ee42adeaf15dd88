#include <osteon/plan/composite/generators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::plan {

composite direct_send(const composite_task& task, int messages_per_round) {
  if (messages_per_round < 0)
    throw usage_error(fmt::format(
        "direct send with {} messages per round: the number must be at least 1, or 0 for all messages in one round",
        messages_per_round));
  const send_slots slots{task.members};
  const partition stripes{task.elements, task.members};
  const int per_round = messages_per_round == 0 ? std::max(1, slots.count()) : messages_per_round;

  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = (slots.count() + per_round - 1) / per_round;
  result.owned = [stripes](int index) { return std::vector<span>{stripes.part(index)}; };
  result.of = [=, members = task.members](int index, int number) {
    round now;
    const auto add = [&](std::vector<message>& to, int peer, int owner, arrival action) {
      if (peer < 0 || peer >= members) return;
      if (const span stripe = stripes.part(owner); stripe.size() > 0) to.push_back({peer, stripe, action});
    };
    const int end = std::min((number + 1) * per_round, slots.count());
    for (int slot = number * per_round; slot < end; ++slot)
      slots.visit(slot, [&](int distance, bool from_front) {
        const int sign = from_front ? 1 : -1;
        const arrival action = from_front ? arrival::blend_front : arrival::blend_back;
        add(now.sends, index + sign * distance, index + sign * distance, action);
        add(now.receives, index - sign * distance, index, action);
      });
    return now;
  };
  return result;
}

}  // namespace osteon::plan
