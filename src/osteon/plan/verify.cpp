#include <osteon/plan/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace osteon::plan {

namespace {

constexpr std::size_t most_problems = 20;

bool meet(span a, span b) { return a.begin < b.end && b.begin < a.end; }

// What a stretch of elements has blended: the visibility indices [front, back).
struct content {
  span elements;
  int front, back;
};

// The state of one rank: contents that partition [0, elements), by their first element.
class symbolic_object {
 public:
  symbolic_object(std::int64_t elements, int index) {
    if (elements > 0) parts_[0] = {{0, elements}, index, index + 1};
  }

  std::vector<content> read(span wanted) const {
    std::vector<content> result;
    auto it = parts_.upper_bound(wanted.begin);
    if (it != parts_.begin()) --it;
    for (; it != parts_.end() && it->second.elements.begin < wanted.end; ++it) {
      content c = it->second;
      c.elements = {std::max(c.elements.begin, wanted.begin), std::min(c.elements.end, wanted.end)};
      if (c.elements.size() > 0) result.push_back(c);
    }
    return result;
  }

  void write(const content& what) {
    split(what.elements.begin);
    split(what.elements.end);
    parts_.erase(parts_.lower_bound(what.elements.begin), parts_.lower_bound(what.elements.end));
    parts_[what.elements.begin] = what;
  }

 private:
  void split(std::int64_t at) {
    auto it = parts_.upper_bound(at);
    if (it == parts_.begin()) return;
    --it;
    content& whole = it->second;
    if (whole.elements.begin == at || whole.elements.end <= at) return;
    content rest = whole;
    whole.elements.end = rest.elements.begin = at;
    parts_[at] = rest;
  }

  std::map<std::int64_t, content> parts_;
};

class verifier {
 public:
  verifier(const plan& what, const composite_goal& goal) : plan_(what), goal_(goal) {}

  std::vector<problem> run() {
    std::vector<int> index(static_cast<std::size_t>(plan_.ranks), -1);
    for (std::size_t i = 0; i < goal_.order.size(); ++i)
      index.at(static_cast<std::size_t>(goal_.order[i])) = static_cast<int>(i);
    std::size_t rounds = 0;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      all_.push_back(plan_.of(rank));
      objects_.emplace_back(plan_.elements, index[static_cast<std::size_t>(rank)]);
      rounds = std::max(rounds, all_.back().rounds.size());
    }
    for (std::size_t r = 0; r < rounds && problems_.size() < most_problems; ++r) execute(r);
    if (problems_.size() < most_problems) check_results();
    if (problems_.size() > most_problems) problems_.resize(most_problems);
    return std::move(problems_);
  }

 private:
  using channel = std::pair<int, int>;  // from, to

  template <class... Args>
  void fault(std::string where, fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back({std::move(where), fmt::format(text, std::forward<Args>(args)...)});
  }

  static std::string place(std::size_t r, int rank) { return fmt::format("round {}, rank {}", r, rank); }

  bool well_formed(std::size_t r, int rank, const step& s) {
    if (s.peer < 0 || s.peer >= plan_.ranks || s.peer == rank) {
      fault(place(r, rank), "a message with rank {}: the peer must be another one of the {} ranks", s.peer, plan_.ranks);
      return false;
    }
    if (s.elements.size() <= 0 || s.elements.begin < 0 || s.elements.end > plan_.elements) {
      fault(place(r, rank), "a message of elements [{}, {}): it must be a non-empty part of [0, {})", s.elements.begin,
            s.elements.end, plan_.elements);
      return false;
    }
    return true;
  }

  void execute(std::size_t r) {
    struct message {
      span elements;
      std::vector<content> contents;
    };
    // All sends read what their rank held before the round.
    std::map<channel, std::deque<message>> under_way;
    for_each_step(r, [&](int rank, const step& s) {
      if (s.what == action::send && well_formed(r, rank, s))
        under_way[{rank, s.peer}].push_back({s.elements, objects_[static_cast<std::size_t>(rank)].read(s.elements)});
    });
    for_each_step(r, [&](int rank, const step& s) {
      if (s.what == action::send || !well_formed(r, rank, s)) return;
      auto& queue = under_way[{s.peer, rank}];
      if (queue.empty()) {
        fault(place(r, rank), "waits for elements [{}, {}) from rank {}, which does not send them in this round",
              s.elements.begin, s.elements.end, s.peer);
        return;
      }
      const message arrived = std::move(queue.front());
      queue.pop_front();
      if (!(arrived.elements == s.elements)) {
        fault(place(r, rank), "expects elements [{}, {}) from rank {}, which sends [{}, {})", s.elements.begin,
              s.elements.end, s.peer, arrived.elements.begin, arrived.elements.end);
        return;
      }
      for (const content& c : arrived.contents) arrive(r, rank, s, c);
    });
    for (const auto& [ends, queue] : under_way)
      for (const message& m : queue)
        fault(place(r, ends.first), "sends elements [{}, {}) to rank {}, which does not receive them in this round",
              m.elements.begin, m.elements.end, ends.second);
    check_memory(r);
  }

  void arrive(std::size_t r, int rank, const step& s, const content& c) {
    auto& object = objects_[static_cast<std::size_t>(rank)];
    if (s.what == action::receive) {
      object.write(c);
      return;
    }
    for (content own : object.read(c.elements)) {
      const bool legal = s.what == action::blend_front ? c.back == own.front : own.back == c.front;
      if (!legal)
        fault(place(r, rank),
              "blends elements [{}, {}) of visibility [{}, {}) from rank {} {} its own [{}, {}): the two must touch in that "
              "order",
              own.elements.begin, own.elements.end, c.front, c.back, s.peer,
              s.what == action::blend_front ? "in front of" : "behind", own.front, own.back);
      own.front = std::min(own.front, c.front);
      own.back = std::max(own.back, c.back);
      object.write(own);
    }
  }

  void check_memory(std::size_t r) {
    if (goal_.staged_elements < 0) return;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      const auto& rounds = all_[static_cast<std::size_t>(rank)].rounds;
      if (r >= rounds.size()) continue;
      if (const auto staged = staged_elements(rounds[r]); staged > goal_.staged_elements)
        fault(place(r, rank), "holds {} elements beside its object; the limit is {}", staged, goal_.staged_elements);
    }
  }

  void check_results() {
    std::vector<std::pair<span, int>> held;
    for (int rank = 0; rank < plan_.ranks; ++rank)
      for (const span s : all_[static_cast<std::size_t>(rank)].result) {
        if (s.size() <= 0) continue;
        held.emplace_back(s, rank);
        if (goal_.root >= 0 && rank != goal_.root)
          fault(fmt::format("result, rank {}", rank), "keeps elements [{}, {}), which belong to root {}", s.begin, s.end,
                goal_.root);
        for (const content& c : objects_[static_cast<std::size_t>(rank)].read(s))
          if (c.front != 0 || c.back != plan_.ranks)
            fault(fmt::format("result, rank {}", rank),
                  "elements [{}, {}) have blended visibility [{}, {}) instead of [0, {})", c.elements.begin, c.elements.end,
                  c.front, c.back, plan_.ranks);
      }
    std::sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    std::int64_t covered = 0;
    for (const auto& [s, rank] : held) {
      if (s.begin != covered)
        fault(fmt::format("result, rank {}", rank), "elements from {} to {} are {}", std::min(s.begin, covered),
              std::max(s.begin, covered), s.begin > covered ? "with nobody" : "with two owners");
      covered = std::max(covered, s.end);
    }
    if (covered < plan_.elements) fault("result", "elements from {} to {} are with nobody", covered, plan_.elements);
  }

  template <class F>
  void for_each_step(std::size_t r, F f) {
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      const auto& rounds = all_[static_cast<std::size_t>(rank)].rounds;
      if (r < rounds.size())
        for (const step& s : rounds[r].steps) f(rank, s);
    }
  }

  const plan& plan_;
  const composite_goal& goal_;
  std::vector<rank_plan> all_;
  std::vector<symbolic_object> objects_;
  std::vector<problem> problems_;
};

}  // namespace

bool arrives_in_place(const round& what, const step& received) {
  return received.what == action::receive && std::none_of(what.steps.begin(), what.steps.end(), [&](const step& s) {
           return s.what == action::send && meet(s.elements, received.elements);
         });
}

std::int64_t staged_elements(const round& what) {
  std::int64_t sum = 0;
  for (const step& s : what.steps)
    if (s.what != action::send && !arrives_in_place(what, s)) sum += s.elements.size();
  return sum;
}

std::vector<problem> verify_composite(const plan& what, const composite_goal& goal) { return verifier(what, goal).run(); }

}  // namespace osteon::plan
