#include <osteon/plan/generators.hpp>

#include <osteon/plan/partition.hpp>

namespace osteon::plan {

composite parallel_pipeline(const composite_task& task) {
  const partition stripes{task.elements, task.members};
  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = task.members - 1;
  result.owned = [stripes](int index) { return std::vector<span>{stripes.part(index)}; };
  result.of = [stripes, members = task.members](int index) {
    rank_plan mine;
    mine.rounds.resize(static_cast<std::size_t>(members - 1));
    const int last = members - 1;
    for (int t = 0; t < last; ++t) {
      auto& steps = mine.rounds[static_cast<std::size_t>(t)].steps;
      const auto add = [&](action what, int peer, int stripe) {
        if (peer >= 0 && peer < members && stripe >= 0 && stripe < members && stripes.part(stripe).size() > 0)
          steps.push_back({what, peer, stripes.part(stripe)});
      };
      // Member i passes stripe j > i backwards in round last - j + i, and stripe j < i forwards in round last - i + j.
      add(action::send, index + 1, last - t + index);
      add(action::send, index - 1, t - last + index);
      add(action::blend_front, index - 1, last - t + index - 1);
      add(action::blend_back, index + 1, t - last + index + 1);
    }
    mine.result = {stripes.part(index)};
    return mine;
  };
  return result;
}

}  // namespace osteon::plan
