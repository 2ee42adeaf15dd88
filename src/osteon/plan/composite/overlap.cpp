#include <osteon/plan/composite/overlap.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::plan {

namespace {

// Elements that were drawn by the same members. One member is the owner of these elements.
struct shared_span {
  span elements;
  int owner;
  std::vector<int> drawn_by;  // visibility indices in ascending order
};

// Spans that one member sends to another member in one message.
struct bundle {
  int from, to;
  std::vector<span> spans;
  int round = 0;
};

void check_active(const composite_task& task) {
  if (!task.active.empty() && task.active.size() != static_cast<std::size_t>(task.members))
    throw usage_error(fmt::format("active spans of {} of the {} ranks are known; pass the spans of each rank",
                                  task.active.size(), task.members));
  for (std::size_t i = 0; i < task.active.size(); ++i) {
    std::int64_t end = 0;
    for (const span s : task.active[i]) {
      if (s.begin < end || s.size() <= 0 || s.end > task.elements)
        throw usage_error(
            fmt::format("active span [{}, {}) of visibility index {}: spans must be sorted, disjoint, not empty and within "
                        "[0, {})",
                        s.begin, s.end, i, task.elements));
      end = s.end;
    }
  }
}

// Divide the image at the ends of all active spans, and at the ends of the equal stripes.
std::vector<shared_span> cut(const composite_task& task) {
  check_active(task);
  const partition stripes{task.elements, task.members};
  struct edge {
    std::int64_t at;
    int member;  // member, or -1 for the end of a stripe
    bool begins;
  };
  std::vector<edge> edges;
  for (int i = 0; i < task.members; ++i) {
    edges.push_back({stripes.cut(i), -1, true});
    if (task.active.empty()) {
      edges.push_back({0, i, true});
      continue;
    }
    for (const span s : task.active[static_cast<std::size_t>(i)]) {
      edges.push_back({s.begin, i, true});
      edges.push_back({s.end, i, false});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const edge& a, const edge& b) { return a.at < b.at; });
  std::vector<shared_span> result;
  std::vector<int> drawn_by;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].member >= 0) {
      const auto place = std::lower_bound(drawn_by.begin(), drawn_by.end(), edges[e].member);
      if (edges[e].begins)
        drawn_by.insert(place, edges[e].member);
      else
        drawn_by.erase(place);
    }
    const span elements{edges[e].at, e + 1 < edges.size() ? edges[e + 1].at : task.elements};
    if (elements.size() > 0) result.push_back({elements, static_cast<int>(stripes.part_of(elements.begin)), drawn_by});
  }
  return result;
}

// Order of the messages to an owner. Messages from near members precede messages from distant members, and the front is
// first. Each message is then adjacent to the blended interval.
bool comes_first(const bundle& a, const bundle& b) {
  const auto key = [](const bundle& m) {
    const int distance = std::abs(m.to - m.from);
    return std::tuple(distance, m.to > m.from, m.from);
  };
  return key(a) < key(b);
}

struct direct_plan {
  std::vector<bundle> messages;              // messages in the blending order of the owners
  std::vector<std::vector<span>> owned;      // spans of each member
  std::vector<std::vector<std::size_t>> of;  // messages that a member sends or receives in each round
};

composite as_composite(const composite_task& task, const std::vector<shared_span>& spans, bool one_at_a_time) {
  const auto members = static_cast<std::size_t>(task.members);
  auto made = std::make_shared<direct_plan>();
  made->owned.resize(members);
  made->of.resize(members);
  std::map<std::pair<int, int>, std::size_t> known;
  for (const shared_span& s : spans) {
    made->owned[static_cast<std::size_t>(s.owner)].push_back(s.elements);
    for (const int from : s.drawn_by) {
      if (from == s.owner) continue;
      const auto [at, is_new] = known.try_emplace({from, s.owner}, made->messages.size());
      if (is_new) made->messages.push_back({from, s.owner, {}});
      made->messages[at->second].spans.push_back(s.elements);
    }
  }
  std::sort(made->messages.begin(), made->messages.end(), comes_first);
  for (auto& spans_of_member : made->owned) spans_of_member = joined(std::move(spans_of_member));
  int rounds = made->messages.empty() ? 0 : 1;
  std::vector<int> free_to_send(members, 0), free_to_receive(members, 0);
  for (std::size_t m = 0; m < made->messages.size(); ++m) {
    bundle& one = made->messages[m];
    one.spans = joined(std::move(one.spans));
    int& sender = free_to_send[static_cast<std::size_t>(one.from)];
    int& receiver = free_to_receive[static_cast<std::size_t>(one.to)];
    if (one_at_a_time) {
      one.round = std::max(sender, receiver);
      sender = receiver = one.round + 1;
      rounds = std::max(rounds, one.round + 1);
    }
    made->of[static_cast<std::size_t>(one.from)].push_back(m);
    made->of[static_cast<std::size_t>(one.to)].push_back(m);
  }

  const auto round_of = [made](std::size_t m) { return made->messages[m].round; };
  for (auto& of_member : made->of) std::ranges::stable_sort(of_member, {}, round_of);

  composite result;
  result.members = task.members;
  result.elements = task.elements;
  result.rounds = rounds;
  result.owned = [made](int index) { return made->owned[static_cast<std::size_t>(index)]; };
  result.of = [made, round_of](int index, int number) {
    round now;
    for (const std::size_t m :
         std::ranges::equal_range(made->of[static_cast<std::size_t>(index)], number, std::ranges::less{}, round_of)) {
      const bundle& one = made->messages[m];
      for (const span s : one.spans)
        if (one.from == index)
          now.sends.push_back({one.to, s, blended(one.from, one.to)});
        else
          now.receives.push_back({one.from, s, blended(one.from, one.to)});
    }
    return now;
  };
  return result;
}

}  // namespace

std::vector<span> spans_of_box(int left, int top, int right, int bottom, int width) {
  std::vector<span> result;
  for (std::int64_t row = top; row < bottom && left < right; ++row)
    result.push_back({row * width + left, row * width + right});
  return joined(std::move(result));
}

composite overlap_direct_send(const composite_task& task) { return as_composite(task, cut(task), false); }

composite slic(const composite_task& task) {
  auto spans = cut(task);
  std::vector<std::int64_t> to_receive(static_cast<std::size_t>(task.members), 0);
  for (shared_span& s : spans) {
    if (s.drawn_by.empty()) continue;
    s.owner = *std::min_element(s.drawn_by.begin(), s.drawn_by.end(), [&](int a, int b) {
      return to_receive[static_cast<std::size_t>(a)] < to_receive[static_cast<std::size_t>(b)];
    });
    to_receive[static_cast<std::size_t>(s.owner)] += s.elements.size() * (static_cast<std::int64_t>(s.drawn_by.size()) - 1);
  }
  return as_composite(task, spans, true);
}

}  // namespace osteon::plan
