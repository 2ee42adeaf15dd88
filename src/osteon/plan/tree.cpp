#include <osteon/plan/generators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <osteon/base/error.hpp>

namespace osteon::plan {

namespace {

// A plan of whole images that ends at one member.
composite to_holder(const composite_task& task, int rounds,
                    std::function<void(int index, int holder, std::vector<round>& rounds)> build) {
  const int holder = std::max(task.root, 0);
  const span image{0, task.elements};
  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = rounds;
  result.holder = holder;
  result.owned = [=](int index) { return index == holder ? std::vector<span>{image} : std::vector<span>{}; };
  result.of = [=, build = std::move(build)](int index) {
    rank_plan mine;
    mine.rounds.resize(static_cast<std::size_t>(rounds));
    if (image.size() > 0) build(index, holder, mine.rounds);
    if (index == holder) mine.result = {image};
    return mine;
  };
  return result;
}

}  // namespace

composite binary_tree(const composite_task& task) {
  int levels = 0;
  for (std::int64_t size = 1; size < task.members; size *= 2) ++levels;
  return to_holder(task, levels, [task](int index, int holder, std::vector<round>& rounds) {
    const auto head = [&](std::int64_t begin, std::int64_t end) {
      return begin <= holder && holder < end ? holder : static_cast<int>(begin);
    };
    std::int64_t size = 1;
    for (round& now : rounds) {
      const std::int64_t begin = index / (2 * size) * (2 * size), middle = begin + size;
      const std::int64_t end = std::min<std::int64_t>(middle + size, task.members);
      size *= 2;
      if (middle >= end) continue;
      const int front = head(begin, middle), back = head(middle, end), winner = head(begin, end);
      const int other = winner == front ? back : front;
      if (index == winner)
        now.steps = {{index == front ? action::blend_back : action::blend_front, other, {0, task.elements}}};
      else if (index == other)
        now.steps = {{action::send, winner, {0, task.elements}}};
      if (index != winner) return;
    }
  });
}

composite sequential(const composite_task& task, int messages_per_round) {
  if (messages_per_round < 0)
    throw usage_error(fmt::format("a sequential composite of {} images a round: allow at least 1, or 0 for all at once",
                                  messages_per_round));
  const int others = task.members - 1;
  const int per_round = messages_per_round == 0 ? std::max(1, others) : messages_per_round;
  return to_holder(task, (others + per_round - 1) / per_round, [=](int index, int holder, std::vector<round>& rounds) {
    // First those before it, then those behind, both from the nearest on.
    const auto steps_of = [&](int member) -> std::vector<step>& {
      const int turn = member < holder ? holder - 1 - member : member - 1;
      return rounds[static_cast<std::size_t>(turn / per_round)].steps;
    };
    const span image{0, task.elements};
    if (index != holder) {
      steps_of(index).push_back({action::send, holder, image});
      return;
    }
    for (int m = holder - 1; m >= 0; --m) steps_of(m).push_back({action::blend_front, m, image});
    for (int m = holder + 1; m <= others; ++m) steps_of(m).push_back({action::blend_back, m, image});
  });
}

composite sequential_chain(const composite_task& task) {
  const int last = task.members - 1, root = std::max(task.root, 0);
  return to_holder(task, std::max(root, last - root), [=](int index, int holder, std::vector<round>& rounds) {
    const span image{0, task.elements};
    const auto add = [&](int turn, action what, int peer) {
      rounds[static_cast<std::size_t>(turn)].steps.push_back({what, peer, image});
    };
    if (index > 0 && index <= holder) add(index - 1, action::blend_front, index - 1);
    if (index < last && index >= holder) add(last - index - 1, action::blend_back, index + 1);
    if (index < holder) add(index, action::send, index + 1);
    if (index > holder) add(last - index, action::send, index - 1);
  });
}

}  // namespace osteon::plan
