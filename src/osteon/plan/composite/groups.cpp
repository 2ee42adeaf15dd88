#include <osteon/plan/composite/groups.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/plan/composite/collect.hpp>
#include <osteon/plan/composite/generators.hpp>
#include <osteon/plan/composite/swap.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::plan {

namespace {

// Groups of equal size with equal positions of their leaders are equivalent. The number of kinds is therefore small.
struct group_kind {
  composite inner;
  std::vector<std::int64_t> cuts;  // parts of the image after the inner method; part i is [cuts[i], cuts[i + 1])
  std::vector<int> owners;         // owner of each part, as a number in the group

  int owner_of(std::int64_t element) const {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), element);
    return owners[static_cast<std::size_t>(after - cuts.begin()) - 1];
  }
};

group_kind describe(composite inner) {
  std::vector<std::pair<span, int>> parts;
  for (int i = 0; i < inner.members; ++i)
    for (const span s : inner.owned(i))
      if (s.size() > 0) parts.emplace_back(s, i);
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  group_kind result{std::move(inner), {}, {}};
  for (const auto& [part, owner] : parts) {
    result.cuts.push_back(part.begin);
    result.owners.push_back(owner);
  }
  return result;
}

struct grouped {
  composite_task task;
  std::vector<int> begins;  // first member of each group, followed by the number of members
  composite_maker outer;
  std::vector<group_kind> kinds;
  std::vector<std::size_t> kind_of;     // kind of each group
  std::vector<std::int64_t> stretches;  // no group divides the interval [stretches[i], stretches[i + 1])
  int inner_rounds = 0;

  int groups() const { return static_cast<int>(kind_of.size()); }
  int group_of(int index) const {
    return static_cast<int>(std::upper_bound(begins.begin(), begins.end() - 1, index) - begins.begin()) - 1;
  }
  int begin_of(int group) const { return begins[static_cast<std::size_t>(group)]; }
  const group_kind& kind(int group) const { return kinds[kind_of[static_cast<std::size_t>(group)]]; }
  int owner_in(int group, std::int64_t element) const { return begin_of(group) + kind(group).owner_of(element); }
  composite outer_of(std::int64_t elements) const {
    return outer({groups(), elements, task.root < 0 ? -1 : group_of(task.root), {}, {}});
  }

  // Call f(stretch, outer composite) for each stretch that a member owns after the inner method.
  template <class F>
  void for_each_own(int index, F f) const {
    const int group = group_of(index);
    for (const span part : kind(group).inner.owned(index - begin_of(group))) {
      auto at = std::lower_bound(stretches.begin(), stretches.end(), part.begin);
      for (; part.size() > 0 && at != stretches.end() && *at < part.end; ++at) {
        const span stretch{*at, at + 1 == stretches.end() ? task.elements : at[1]};
        f(stretch, outer_of(stretch.size()));
      }
    }
  }

  round of(int index, int number) const {
    const int group = group_of(index);
    round result;
    if (number < inner_rounds) {
      const composite& inner = kind(group).inner;
      if (number < inner.rounds)
        add_messages(result, inner.of(index - begin_of(group), number), 0, [&](int peer) { return peer + begin_of(group); });
      return result;
    }
    for_each_own(index, [&](span stretch, const composite& between) {
      if (number - inner_rounds < between.rounds)
        add_messages(result, between.of(group, number - inner_rounds), stretch.begin,
                     [&](int other) { return owner_in(other, stretch.begin); });
    });
    return result;
  }

  std::vector<span> owned(int index) const {
    std::vector<span> result;
    for_each_own(index, [&](span stretch, const composite& between) {
      for (const span s : between.owned(group_of(index))) result.push_back({s.begin + stretch.begin, s.end + stretch.begin});
    });
    return result;
  }
};

std::vector<int> equal_groups(int members, int groups) {
  const partition parts{members, groups};
  std::vector<int> begins;
  for (int g = 0; g < groups; ++g) begins.push_back(static_cast<int>(parts.cut(g)));
  return begins;
}

}  // namespace

composite in_groups(const composite_task& task, std::vector<int> begins, const composite_maker& inner,
                    const composite_maker& outer, hand_over between) {
  auto made = std::make_shared<grouped>();
  made->task = task;
  made->begins = std::move(begins);
  made->begins.push_back(task.members);
  made->outer = outer;
  std::map<std::pair<int, int>, std::size_t> known;
  for (std::size_t g = 0; g + 1 < made->begins.size(); ++g) {
    const int begin = made->begins[g], size = made->begins[g + 1] - begin;
    const int leader = task.root >= begin && task.root < begin + size ? task.root - begin : 0;
    const auto [at, is_new] = known.try_emplace({size, leader}, made->kinds.size());
    made->kind_of.push_back(at->second);
    if (!is_new) continue;
    composite inside = inner({size, task.elements, leader, {}, {}});
    if (between == hand_over::at_leaders) inside = collected(std::move(inside), leader);
    made->inner_rounds = std::max(made->inner_rounds, inside.rounds);
    made->kinds.push_back(describe(std::move(inside)));
  }
  for (const group_kind& k : made->kinds) made->stretches.insert(made->stretches.end(), k.cuts.begin(), k.cuts.end());
  std::sort(made->stretches.begin(), made->stretches.end());
  made->stretches.erase(std::unique(made->stretches.begin(), made->stretches.end()), made->stretches.end());

  const composite whole = made->outer_of(task.elements);
  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = made->inner_rounds + whole.rounds;
  if (whole.holder >= 0 && made->stretches.size() == 1) result.holder = made->owner_in(whole.holder, 0);
  result.of = [made](int index, int number) { return made->of(index, number); };
  result.owned = [made](int index) { return made->owned(index); };
  return result;
}

composite multi_step(const composite_task& task, int group, const composite_maker& inner, const composite_maker& outer,
                     hand_over between) {
  if (group < 1)
    throw usage_error(
        fmt::format("multi-step compositing with groups of {} ranks: the group size must be at least 1", group));
  return in_groups(task, equal_groups(task.members, (task.members + group - 1) / group), inner, outer, between);
}

composite hybrid(const composite_task& task) {
  if (task.host_of.size() != static_cast<std::size_t>(task.members))
    throw usage_error(
        fmt::format("hybrid compositing of {} ranks: hosts of {} ranks are known; pass the number of ranks per host, as in "
                    "hybrid:8, or the host of each rank",
                    task.members, task.host_of.size()));
  std::vector<int> begins{0};
  for (int i = 1; i < task.members; ++i)
    if (task.host_of[static_cast<std::size_t>(i)] != task.host_of[static_cast<std::size_t>(i) - 1]) begins.push_back(i);
  return in_groups(
      task, std::move(begins), [](const composite_task& t) { return direct_send(t); },
      [](const composite_task& t) { return binary_swap(t); }, hand_over::by_owners);
}

composite two_three_four_swap(const composite_task& task) {
  const auto members = static_cast<unsigned>(task.members);
  if (std::has_single_bit(members)) return binary_swap(task);
  return in_groups(
      task, equal_groups(task.members, static_cast<int>(std::bit_floor(members) / 2)),
      [](const composite_task& t) { return direct_send(t); }, [](const composite_task& t) { return binary_swap(t); },
      hand_over::at_leaders);
}

}  // namespace osteon::plan
