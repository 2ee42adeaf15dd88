#include <osteon/plan/composite/generators.hpp>

#include <osteon/plan/partition.hpp>

namespace osteon::plan {

composite parallel_pipeline(const composite_task& task) {
  const partition stripes{task.elements, task.members};
  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = task.members - 1;
  result.owned = [stripes](int index) { return std::vector<span>{stripes.part(index)}; };
  result.of = [stripes, members = task.members](int index, int t) {
    round now;
    const int last = members - 1;
    const auto add = [&](std::vector<message>& to, int peer, int stripe, arrival action) {
      if (peer >= 0 && peer < members && stripe >= 0 && stripe < members && stripes.part(stripe).size() > 0)
        to.push_back({peer, stripes.part(stripe), action});
    };
    // Member i sends stripe j > i backwards in round last - j + i. Member i sends stripe j < i forwards in round last - i +
    // j.
    add(now.sends, index + 1, last - t + index, arrival::blend_front);
    add(now.sends, index - 1, t - last + index, arrival::blend_back);
    add(now.receives, index - 1, last - t + index - 1, arrival::blend_front);
    add(now.receives, index + 1, t - last + index + 1, arrival::blend_back);
    return now;
  };
  return result;
}

}  // namespace osteon::plan
