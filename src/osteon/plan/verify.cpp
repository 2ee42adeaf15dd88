#include <osteon/plan/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/plan/composite.hpp>
#include <osteon/plan/symbolic_object.hpp>

namespace osteon::plan {

namespace {

bool meet(span a, span b) { return a.begin < b.end && b.begin < a.end; }

class composite_verifier {
 public:
  composite_verifier(const plan& what, const composite_goal& goal) : plan_(what), goal_(goal) {}

  std::vector<problem> run() {
    start();
    std::size_t rounds = 0;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      all_.push_back(plan_.of(rank));
      rounds = std::max(rounds, all_.back().rounds.size());
    }
    inbox_.resize(all_.size());
    for (std::size_t r = 0; r < rounds && problems_.size() < most_problems; ++r) execute(r);
    if (problems_.size() < most_problems) check_results();
    if (problems_.size() > most_problems) problems_.resize(most_problems);
    return std::move(problems_);
  }

 private:
  struct message {
    int from, to;
    span elements;
    std::size_t first, count;  // contents
    std::size_t taken = 0;     // messages of the same channel that have been received, counted at its first one
  };

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

  // The elements that each rank has drawn, and those of a finished picture.
  void start() {
    const auto ranks = static_cast<std::size_t>(plan_.ranks);
    check_request(plan_.name, plan_.ranks, plan_.elements, goal_.order, goal_.root);
    indices_of_ranks(goal_.order);  // throws if it is no permutation
    if (!goal_.active.empty() && goal_.active.size() != ranks)
      throw usage_error(
          fmt::format("active spans of {} ranks for a plan of {}: give them for each", goal_.active.size(), ranks));
    std::vector<std::size_t> rank_at(goal_.order.begin(), goal_.order.end());
    objects_.resize(ranks);
    if (goal_.active.empty()) {
      for (std::size_t i = 0; i < ranks; ++i)
        objects_[rank_at[i]] = symbolic_object({{0, plan_.elements}, static_cast<int>(i), static_cast<int>(i) + 1});
      complete_ = symbolic_object({{0, plan_.elements}, 0, plan_.ranks});
      return;
    }
    std::vector<std::int64_t> cuts{0, plan_.elements};
    for (const auto& spans : goal_.active)
      for (const span s : spans) cuts.insert(cuts.end(), {s.begin, s.end});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<std::size_t> next(ranks, 0);  // span that a rank is in, or before
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      const span stretch{cuts[c], cuts[c + 1]};
      int front = 0;
      for (const std::size_t rank : rank_at) {
        const auto& spans = goal_.active[rank];
        while (next[rank] < spans.size() && spans[next[rank]].end <= stretch.begin) ++next[rank];
        const bool drawn = next[rank] < spans.size() && spans[next[rank]].begin <= stretch.begin;
        objects_[rank].append({stretch, front, front + drawn});
        front += drawn;
      }
      complete_.append({stretch, 0, front});
    }
  }

  void execute(std::size_t r) {
    messages_.clear();
    contents_.clear();
    for (auto& box : inbox_) box.clear();
    // All sends read what their rank held before the round.
    for_each_step(r, [&](int rank, const step& s) {
      if (s.what != action::send || !well_formed(r, rank, s)) return;
      const std::size_t first = contents_.size();
      objects_[static_cast<std::size_t>(rank)].read(s.elements, contents_);
      inbox_[static_cast<std::size_t>(s.peer)].push_back(messages_.size());
      messages_.push_back({rank, s.peer, s.elements, first, contents_.size() - first});
    });
    std::size_t received = 0;
    for_each_step(r, [&](int rank, const step& s) {
      if (s.what == action::send || !well_formed(r, rank, s)) return;
      const message* arrived = take(rank, s.peer);
      if (arrived == nullptr) {
        fault(place(r, rank), "waits for elements [{}, {}) from rank {}, which does not send them in this round",
              s.elements.begin, s.elements.end, s.peer);
        return;
      }
      ++received;
      if (!(arrived->elements == s.elements)) {
        fault(place(r, rank), "expects elements [{}, {}) from rank {}, which sends [{}, {})", s.elements.begin,
              s.elements.end, s.peer, arrived->elements.begin, arrived->elements.end);
        return;
      }
      for (std::size_t c = 0; c < arrived->count; ++c) arrive(r, rank, s, contents_[arrived->first + c]);
    });
    if (received < messages_.size()) name_unreceived(r);
    check_memory(r);
  }

  // The next message of a channel; an inbox is in the order of senders, for that is the order in which they are asked.
  const message* take(int rank, int from) {
    auto& box = inbox_[static_cast<std::size_t>(rank)];
    const auto first = std::lower_bound(box.begin(), box.end(), from,
                                        [&](std::size_t m, int sender) { return messages_[m].from < sender; });
    if (first == box.end() || messages_[*first].from != from) return nullptr;
    std::size_t& taken = messages_[*first].taken;
    const auto it = first + static_cast<std::ptrdiff_t>(taken);
    if (it >= box.end() || messages_[*it].from != from) return nullptr;
    ++taken;
    return &messages_[*it];
  }

  void name_unreceived(std::size_t r) {
    for (const auto& box : inbox_)
      for (const std::size_t m : box)
        if (const message* lost = take(messages_[m].to, messages_[m].from))
          fault(place(r, lost->from), "sends elements [{}, {}) to rank {}, which does not receive them in this round",
                lost->elements.begin, lost->elements.end, lost->to);
  }

  void arrive(std::size_t r, int rank, const step& s, const content& c) {
    auto& object = objects_[static_cast<std::size_t>(rank)];
    if (s.what == action::receive) {
      object.write(c);
      return;
    }
    if (c.front == c.back) return;  // transparent
    own_.clear();
    object.read(c.elements, own_);
    for (content own : own_) {
      if (own.front == own.back) own.front = own.back = s.what == action::blend_front ? c.back : c.front;
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
        if (s.begin < 0 || s.end > plan_.elements) {
          fault(fmt::format("result, rank {}", rank), "keeps elements [{}, {}); there are [0, {})", s.begin, s.end,
                plan_.elements);
          continue;
        }
        held.emplace_back(s, rank);
        if (goal_.root >= 0 && rank != goal_.root)
          fault(fmt::format("result, rank {}", rank), "keeps elements [{}, {}), which belong to root {}", s.begin, s.end,
                goal_.root);
        own_.clear();
        objects_[static_cast<std::size_t>(rank)].read(s, own_);
        for (const content& c : own_) check_complete(rank, c);
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

  void check_complete(int rank, const content& c) {
    contents_.clear();
    complete_.read(c.elements, contents_);
    for (const content& all : contents_)
      if (c.front != all.front || c.back != all.back)
        fault(fmt::format("result, rank {}", rank), "elements [{}, {}) have blended visibility [{}, {}) instead of [{}, {})",
              all.elements.begin, all.elements.end, c.front, c.back, all.front, all.back);
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
  std::vector<symbolic_object> objects_;  // by rank
  symbolic_object complete_;
  std::vector<problem> problems_;

  // Of the round that is being executed.
  std::vector<message> messages_;
  std::vector<content> contents_, own_;
  std::vector<std::vector<std::size_t>> inbox_;  // messages to each rank
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

std::vector<problem> verify_composite(const plan& what, const composite_goal& goal) {
  return composite_verifier(what, goal).run();
}

}  // namespace osteon::plan
