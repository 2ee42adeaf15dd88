#include <osteon/plan/composite/generators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <osteon/base/error.hpp>

namespace osteon::plan {

namespace {

// A plan of whole images that ends at one member. build(index, holder, round number, messages) adds the messages of a round.
composite to_holder(const composite_task& task, int rounds,
                    std::function<void(int index, int holder, int number, round& now)> build) {
  const int holder = std::max(task.root, 0);
  const span image{0, task.elements};
  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = rounds;
  result.holder = holder;
  result.owned = [=](int index) { return index == holder ? std::vector<span>{image} : std::vector<span>{}; };
  result.of = [=, build = std::move(build)](int index, int number) {
    round now;
    if (image.size() > 0) build(index, holder, number, now);
    return now;
  };
  return result;
}

}  // namespace

composite binary_tree(const composite_task& task) {
  int levels = 0;
  for (std::int64_t size = 1; size < task.members; size *= 2) ++levels;
  return to_holder(task, levels, [task](int index, int holder, int number, round& now) {
    const auto head = [&](std::int64_t begin, std::int64_t end) {
      return begin <= holder && holder < end ? holder : static_cast<int>(begin);
    };
    const std::int64_t size = std::int64_t{1} << number, begin = index / (2 * size) * (2 * size), middle = begin + size;
    const std::int64_t end = std::min<std::int64_t>(middle + size, task.members);
    if (middle >= end) return;
    const int front = head(begin, middle), back = head(middle, end), winner = head(begin, end);
    const int other = winner == front ? back : front;
    const message image{other, {0, task.elements}, blended(other, winner)};
    if (index == winner) now.receives.push_back(image);
    if (index == other) now.sends.push_back({winner, image.elements, image.on_arrival});
  });
}

composite sequential(const composite_task& task, int messages_per_round) {
  if (messages_per_round < 0)
    throw usage_error(fmt::format(
        "sequential compositing with {} images per round: the number must be at least 1, or 0 for all images in one round",
        messages_per_round));
  const int others = task.members - 1;
  const int per_round = messages_per_round == 0 ? std::max(1, others) : messages_per_round;
  return to_holder(task, (others + per_round - 1) / per_round, [=](int index, int holder, int number, round& now) {
    // The images in front are received before the images behind. On both sides, the nearest image is first.
    const span image{0, task.elements};
    if (index != holder) {
      const int turn = index < holder ? holder - 1 - index : index - 1;
      if (turn / per_round == number) now.sends.push_back({holder, image, blended(index, holder)});
      return;
    }
    for (int turn = number * per_round; turn < std::min(others, (number + 1) * per_round); ++turn) {
      const int member = turn < holder ? holder - 1 - turn : turn + 1;
      now.receives.push_back({member, image, blended(member, holder)});
    }
  });
}

composite sequential_chain(const composite_task& task) {
  const int last = task.members - 1, root = std::max(task.root, 0);
  return to_holder(task, std::max(root, last - root), [=](int index, int holder, int number, round& now) {
    const span image{0, task.elements};
    if (index > 0 && index <= holder && number == index - 1)
      now.receives.push_back({index - 1, image, arrival::blend_front});
    if (index < last && index >= holder && number == last - index - 1)
      now.receives.push_back({index + 1, image, arrival::blend_back});
    if (index < holder && number == index) now.sends.push_back({index + 1, image, arrival::blend_front});
    if (index > holder && number == last - index) now.sends.push_back({index - 1, image, arrival::blend_back});
  });
}

}  // namespace osteon::plan
