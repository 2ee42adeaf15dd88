#include <osteon/plan/composite/swap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/plan/composite/collect.hpp>
#include <osteon/plan/partition.hpp>
#include <osteon/plan/visibility_order.hpp>

namespace osteon::plan {

namespace {

// Largest value below `count` for which an increasing function is at most `limit`. Such a value must exist.
template <class F>
std::int64_t last_below(std::int64_t count, std::int64_t limit, F function) {
  std::int64_t low = 0, high = count;  // invariant: function(low) <= limit < function(high)
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (function(middle) <= limit ? low : high) = middle;
  }
  return low;
}

// A class of `count` merging groups with `size` members each. A group has at most two such classes.
struct equal_parts {
  std::int64_t count, size;
};

// The visibility indices [begin, end). The round of `level` merges these members into one group.
struct group {
  std::int64_t begin, end;
  int level;
  std::int64_t subgroups;  // number of merging groups; larger groups precede smaller groups

  std::int64_t size() const { return end - begin; }
  equal_parts large() const { return {size() % subgroups, size() / subgroups + 1}; }
  equal_parts small() const { return {subgroups - size() % subgroups, size() / subgroups}; }

  std::int64_t subgroup_index(std::int64_t index) const {
    const std::int64_t offset = index - begin, in_large = large().count * large().size;
    return offset < in_large ? offset / large().size : large().count + (offset - in_large) / small().size;
  }

  // Slots have the order of the centres (2 i + 1) / (2 size) of the parts in the merging groups, then the order of the
  // groups. The i-th members of all large groups therefore have consecutive slots. The i-th members of all small groups also
  // have consecutive slots.
  std::int64_t first_slot_of_large(std::int64_t i) const {
    const std::int64_t p = large().size, q = small().size, reach = (2 * i + 1) * q;
    const std::int64_t small_before = std::min(q, (reach + p - 1) / p / 2);  // condition: (2 j + 1) p < reach
    return i * large().count + small_before * small().count;
  }
  std::int64_t first_slot_of_small(std::int64_t j) const {
    const std::int64_t p = large().size, q = small().size;
    const std::int64_t large_before = std::min(p, ((2 * j + 1) * p / q + 1) / 2);  // (2 i + 1) q <= (2 j + 1) p
    return j * small().count + large_before * large().count;
  }
};

struct swap_generator {
  int members;
  std::int64_t elements;
  int levels;
  std::function<std::int64_t(std::int64_t, int)> subgroups;

  group make(std::int64_t begin, std::int64_t end, int level) const {
    const std::int64_t size = end - begin;
    if (level >= levels - 1) return {begin, end, level, size};
    return {begin, end, level, std::min(size, subgroups(size, level))};
  }
  group all() const { return make(0, members, 0); }
  group subgroup(const group& g, std::int64_t a) const {
    const std::int64_t q = g.size() / g.subgroups, rest = g.size() % g.subgroups;
    const std::int64_t begin = g.begin + a * q + std::min(a, rest);
    return make(begin, begin + q + (a < rest ? 1 : 0), g.level + 1);
  }

  std::int64_t slot_of(const group& g, std::int64_t index) const {
    if (g.size() == 1) return 0;
    const std::int64_t a = g.subgroup_index(index), i = slot_of(subgroup(g, a), index);
    return a < g.large().count ? g.first_slot_of_large(i) + a : g.first_slot_of_small(i) + a - g.large().count;
  }

  std::int64_t index_at(const group& g, std::int64_t slot) const {
    if (g.size() == 1) return g.begin;
    if (g.large().count > 0 && g.first_slot_of_large(0) <= slot) {
      const std::int64_t i = last_below(g.large().size, slot, [&](std::int64_t k) { return g.first_slot_of_large(k); });
      const std::int64_t a = slot - g.first_slot_of_large(i);
      if (a < g.large().count) return index_at(subgroup(g, a), i);
    }
    const std::int64_t j = last_below(g.small().size, slot, [&](std::int64_t k) { return g.first_slot_of_small(k); });
    return index_at(subgroup(g, g.large().count + slot - g.first_slot_of_small(j)), j);
  }

  span part_of(const group& g, std::int64_t index) const { return partition{elements, g.size()}.part(slot_of(g, index)); }

  // Messages with those members of `g`, except `self`, whose parts overlap `interval`. `action` returns the arrival action.
  template <class Action>
  void add_messages(std::vector<message>& messages, const group& g, span interval, std::int64_t self, Action action) const {
    if (interval.size() <= 0) return;
    const partition parts{elements, g.size()};
    for (std::int64_t slot = parts.part_of(interval.begin); slot < g.size() && parts.cut(slot) < interval.end; ++slot) {
      const span common = overlap(parts.part(slot), interval);
      if (common.size() <= 0) continue;
      const std::int64_t index = index_at(g, slot);
      if (index != self) messages.push_back({static_cast<int>(index), common, action(index)});
    }
  }

  round merge_round(const group& g, std::int64_t index) const {
    round result;
    const std::int64_t a = g.subgroup_index(index);
    const group own = subgroup(g, a);
    const span present = part_of(own, index), next = part_of(g, index);
    const auto always = [](arrival action) { return [action](std::int64_t) { return action; }; };
    add_messages(result.sends, g, present, index, [&](std::int64_t to) {
      const std::int64_t b = g.subgroup_index(to);
      return a == b ? arrival::place : a < b ? arrival::blend_front : arrival::blend_back;
    });
    add_messages(result.receives, own, next, index,
                 always(arrival::place));  // the own part is stored before other parts are blended with the own part
    for (std::int64_t b = a; b-- > 0;)
      add_messages(result.receives, subgroup(g, b), next, index, always(arrival::blend_front));
    for (std::int64_t b = a + 1; b < g.subgroups; ++b)
      add_messages(result.receives, subgroup(g, b), next, index, always(arrival::blend_back));
    return result;
  }

  round of(int index, int number) const {
    // If a group is divided unevenly, a single member may form a group before the last level. In the first rounds, this
    // member is idle.
    for (group g = all(); g.size() > 1; g = subgroup(g, g.subgroup_index(index)))
      if (g.level == levels - 1 - number) return merge_round(g, index);
    return {};
  }
};

}  // namespace

composite swap_by_groups(const composite_task& task, int levels,
                         std::function<std::int64_t(std::int64_t size, int level)> subgroups) {
  const auto generator =
      std::make_shared<const swap_generator>(swap_generator{task.members, task.elements, levels, std::move(subgroups)});
  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = levels;
  result.of = [generator](int index, int number) { return generator->of(index, number); };
  result.owned = [generator](int index) { return std::vector<span>{generator->part_of(generator->all(), index)}; };
  result.index_at_place = [generator](int place) { return static_cast<int>(generator->index_at(generator->all(), place)); };
  result.place_of_index = [generator](int index) { return static_cast<int>(generator->slot_of(generator->all(), index)); };
  return result;
}

composite binary_swap(const composite_task& task) { return radix_k(task, {2}); }

composite radix_k(const composite_task& task, std::vector<int> factors) {
  for (const int k : factors)
    if (k < 2)
      throw usage_error(fmt::format("radix-k with a factor of {}: factors must be at least 2, as in radix-k:8,4", k));
  if (factors.empty()) throw usage_error("radix-k without a factor: pass at least one, as in radix-k:8,4");
  std::vector<std::int64_t> by_level;  // groups by level; the last round is first
  for (std::int64_t joined = 1; joined < task.members; joined *= by_level.front())
    by_level.insert(by_level.begin(), factors[std::min(by_level.size(), factors.size() - 1)]);
  const int levels = static_cast<int>(by_level.size());
  return swap_by_groups(task, levels,
                        [by_level](std::int64_t, int level) { return by_level[static_cast<std::size_t>(level)]; });
}

composite two_three_swap(const composite_task& task) {
  const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(task.members))) - 1;
  return swap_by_groups(task, levels, [levels](std::int64_t size, int level) -> std::int64_t {
    // The remaining levels - 1 - level levels merge at most 3^(levels - 1 - level) groups.
    std::int64_t most = 1;
    for (int l = level + 1; l < levels; ++l) most *= 3;
    return (size + 1) / 2 <= most ? 2 : 3;
  });
}

plan binary_swap(int ranks, std::int64_t elements, std::span<const int> order, int root) {
  check_request("binary-swap", ranks, elements, order, root);
  composite_task task{ranks, elements, -1, {}, {}};
  task.root = root < 0 ? -1 : indices_of_ranks(order)[static_cast<std::size_t>(root)];
  return in_order("binary-swap", collected(binary_swap(task), task.root), order);
}

}  // namespace osteon::plan
