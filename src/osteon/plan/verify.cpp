#include <osteon/plan/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/plan/partition.hpp>
#include <osteon/plan/symbolic_object.hpp>
#include <osteon/plan/visibility_order.hpp>

namespace osteon::plan {

namespace {

const char* description_of(arrival action) {
  switch (action) {
    case arrival::place:
      return "to be put in place";
    case arrival::add:
      return "to be added";
    case arrival::blend_front:
      return "to be blended in front";
    case arrival::blend_back:
      return "to be blended behind";
    default:
      return "to be kept";
  }
}

class verifier {
 public:
  verifier(const plan& plan, const goal& goal)
      : plan_(plan), goal_(goal), ranks_(static_cast<std::size_t>(plan.ranks)), now_(ranks_), inbox_(ranks_) {}

  std::vector<problem> run() {
    start();
    for (std::int64_t r = 0; r < plan_.rounds && problems_.size() < most_problems; ++r) execute(r);
    if (problems_.size() < most_problems) {
      if (!goal_.order.empty()) check_results();
      if (goal_.holds && goal_.order.empty()) check_sums();
      if (!holder_.empty()) check_delivery();
    }
    if (problems_.size() > most_problems) problems_.resize(most_problems);
    return std::move(problems_);
  }

 private:
  struct under_way {
    int from, to;
    const message* sent;
    std::size_t first, count;  // range of contents
    // number of received messages of this channel; only the first message of the channel contains this number
    std::size_t received = 0;
  };

  template <class... Args>
  void fault(std::string where, fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back({std::move(where), fmt::format(text, std::forward<Args>(args)...)});
  }

  static std::string place(std::int64_t r, int rank) { return fmt::format("round {}, rank {}", r, rank); }

  bool is_object() const { return plan_.moves == cargo::object; }
  std::string text_of(const message& m) const {
    if (is_object()) return fmt::format("elements [{}, {})", m.elements.begin, m.elements.end);
    return fmt::format("{} bytes", plan_.bytes(m));
  }

  bool well_formed(std::int64_t r, int rank, const message& m) {
    if (m.peer < 0 || m.peer >= plan_.ranks || m.peer == rank) {
      fault(place(r, rank), "a message with rank {}: the peer must be another of the {} ranks", m.peer, plan_.ranks);
      return false;
    }
    const bool is_empty = is_object() && plan_.elements > 0 && m.size() == 0;
    if (m.size() < 0 || is_empty || (is_object() && (m.elements.begin < 0 || m.elements.end > plan_.elements))) {
      fault(place(r, rank), "a message of {} with rank {}: must be {}", text_of(m), m.peer,
            is_object() ? fmt::format("a non-empty part of [0, {})", plan_.elements) : "0 or more");
      return false;
    }
    return true;
  }

  // Set the initial and the final data of all ranks.
  void start() {
    if (plan_.moves == cargo::parcels) {
      holder_.resize(ranks_ * ranks_);
      for (std::size_t i = 0; i < holder_.size(); ++i) holder_[i] = static_cast<int>(i / ranks_);
    }
    if (!goal_.order.empty()) {
      start_compositing();
    } else if (goal_.holds && is_object()) {
      for (int rank = 0; rank < plan_.ranks; ++rank)
        objects_.push_back(symbolic_object({{0, plan_.elements}, rank, rank + 1}));
    }
  }

  void start_compositing() {
    check_request(plan_.name, plan_.ranks, plan_.elements, goal_.order, goal_.root);
    indices_of_ranks(goal_.order);  // this call throws if the order is not a permutation
    if (!goal_.active.empty() && goal_.active.size() != ranks_)
      throw usage_error(fmt::format("active spans of {} ranks for a plan of {} ranks: pass the spans of each rank",
                                    goal_.active.size(), ranks_));
    std::vector<std::size_t> rank_at(goal_.order.begin(), goal_.order.end());
    objects_.resize(ranks_);
    if (goal_.active.empty()) {
      for (std::size_t i = 0; i < ranks_; ++i)
        objects_[rank_at[i]] = symbolic_object({{0, plan_.elements}, static_cast<int>(i), static_cast<int>(i) + 1});
      complete_ = symbolic_object({{0, plan_.elements}, 0, plan_.ranks});
      return;
    }
    std::vector<std::int64_t> cuts{0, plan_.elements};
    for (const auto& spans : goal_.active)
      for (const span s : spans) cuts.insert(cuts.end(), {s.begin, s.end});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<std::size_t> next(ranks_, 0);  // next active span of each rank
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

  void execute(std::int64_t r) {
    under_way_.clear();
    contents_.clear();
    for (auto& box : inbox_) box.clear();
    for (int rank = 0; rank < plan_.ranks; ++rank) now_[static_cast<std::size_t>(rank)] = plan_.of(rank, r);
    // Messages contain the data of the sender before the round.
    for (int rank = 0; rank < plan_.ranks; ++rank)
      for (const message& m : now_[static_cast<std::size_t>(rank)].sends)
        if (well_formed(r, rank, m)) send(r, rank, m);
    std::size_t received = 0;
    for (int rank = 0; rank < plan_.ranks; ++rank)
      for (const message& m : now_[static_cast<std::size_t>(rank)].receives)
        if (well_formed(r, rank, m)) received += receive(r, rank, m);
    if (received < under_way_.size()) name_unreceived(r);
    check_memory(r);
  }

  void send(std::int64_t r, int rank, const message& m) {
    const std::size_t first = contents_.size();
    if (!objects_.empty() && m.size() > 0) objects_[static_cast<std::size_t>(rank)].read(m.elements, contents_);
    inbox_[static_cast<std::size_t>(m.peer)].push_back(under_way_.size());
    under_way_.push_back({rank, m.peer, &m, first, contents_.size() - first});
    if (!holder_.empty())
      for_each_parcel(rank, m, [&](parcel p) {
        const int* const holder = holder_of(p);
        if (holder == nullptr || *holder != rank)
          fault(place(r, rank), "sends the parcel from {} to {}, but does not have this parcel", p.from, p.to);
      });
  }

  bool receive(std::int64_t r, int rank, const message& expected) {
    const under_way* const arrived = take(rank, expected.peer);
    if (arrived == nullptr) {
      fault(place(r, rank), "waits for {} from rank {}, which does not send them in this round", text_of(expected),
            expected.peer);
      return false;
    }
    const message& sent = *arrived->sent;
    if (sent.elements != expected.elements) {
      fault(place(r, rank), "expects {} from rank {}, which sends {}", text_of(expected), expected.peer, text_of(sent));
    } else if (sent.parcels != expected.parcels) {
      fault(place(r, rank), "expects {} parcels from rank {}, which sends {}, or others", expected.parcels.size(),
            expected.peer, sent.parcels.size());
    } else if (sent.on_arrival != expected.on_arrival) {
      fault(place(r, rank), "expects {} {} from rank {}, which sends them {}", text_of(expected),
            description_of(expected.on_arrival), expected.peer, description_of(sent.on_arrival));
    } else {
      for (std::size_t c = 0; c < arrived->count; ++c) arrive(r, rank, expected, contents_[arrived->first + c]);
      if (!holder_.empty()) for_each_parcel(arrived->from, sent, [&](parcel p) { hand_over(r, rank, p); });
    }
    return true;
  }

  // Next message of a channel. Inboxes and queries have the order of the senders.
  const under_way* take(int rank, int from) {
    auto& box = inbox_[static_cast<std::size_t>(rank)];
    const auto first = std::lower_bound(box.begin(), box.end(), from,
                                        [&](std::size_t m, int sender) { return under_way_[m].from < sender; });
    if (first == box.end() || under_way_[*first].from != from) return nullptr;
    std::size_t& received = under_way_[*first].received;
    if (received >= static_cast<std::size_t>(box.end() - first)) return nullptr;
    const auto it = first + static_cast<std::ptrdiff_t>(received);
    if (under_way_[*it].from != from) return nullptr;
    ++received;
    return &under_way_[*it];
  }

  void name_unreceived(std::int64_t r) {
    for (const auto& box : inbox_)
      for (const std::size_t m : box)
        if (const under_way* lost = take(under_way_[m].to, under_way_[m].from))
          fault(place(r, lost->from), "sends {} to rank {}, which does not receive them in this round", text_of(*lost->sent),
                lost->to);
  }

  void arrive(std::int64_t r, int rank, const message& m, const content& c) {
    auto& object = objects_[static_cast<std::size_t>(rank)];
    if (m.on_arrival == arrival::keep) return;
    if (m.on_arrival == arrival::place) {
      object.write(c);
      return;
    }
    if (c.front == c.back) return;  // the content is transparent
    own_.clear();
    object.read(c.elements, own_);
    for (content own : own_) {
      const bool in_front = m.on_arrival == arrival::blend_front, adds = m.on_arrival == arrival::add;
      if (own.front == own.back) own.front = own.back = in_front ? c.back : c.front;
      const bool touches_front = c.back == own.front, touches_back = own.back == c.front;
      if (!(in_front ? touches_front : adds ? touches_front || touches_back : touches_back))
        fault(place(r, rank),
              "{} elements [{}, {}) of visibility [{}, {}) from rank {} {} its own [{}, {}): the intervals must be adjacent "
              "in that order",
              adds ? "adds" : "blends", own.elements.begin, own.elements.end, c.front, c.back, m.peer,
              adds       ? "to"
              : in_front ? "in front of"
                         : "behind",
              own.front, own.back);
      own.front = std::min(own.front, c.front);
      own.back = std::max(own.back, c.back);
      object.write(own);
    }
  }

  int* holder_of(parcel p) {
    const auto valid = [&](int rank) { return rank >= 0 && rank < plan_.ranks; };
    if (!valid(p.from) || !valid(p.to)) return nullptr;
    return &holder_[static_cast<std::size_t>(p.from) * ranks_ + static_cast<std::size_t>(p.to)];
  }

  template <class F>
  void for_each_parcel(int from, const message& m, F body) {
    if (m.parcels.empty()) return body(parcel{from, m.peer});
    for (const parcel p : m.parcels) body(p);
  }

  void hand_over(std::int64_t r, int rank, parcel p) {
    int* const holder = holder_of(p);
    if (holder == nullptr) return;  // the fault has already been reported for the sender
    if (*holder == p.to)
      fault(place(r, rank), "receives the parcel from {} to {}, which was already at its destination", p.from, p.to);
    *holder = rank;
  }

  void check_memory(std::int64_t r) {
    if (goal_.staged_elements < 0) return;
    for (int rank = 0; rank < plan_.ranks; ++rank)
      if (const auto staged = staged_elements(now_[static_cast<std::size_t>(rank)]); staged > goal_.staged_elements)
        fault(place(r, rank), "stores {} elements in addition to its object; the limit is {}", staged,
              goal_.staged_elements);
  }

  void check_results() {
    std::vector<std::pair<span, int>> held;
    for (int rank = 0; rank < plan_.ranks; ++rank)
      for (const span s : plan_.result ? plan_.result(rank) : std::vector<span>{}) {
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
              std::max(s.begin, covered), s.begin > covered ? "without an owner" : "with two owners");
      covered = std::max(covered, s.end);
    }
    if (covered < plan_.elements) fault("result", "elements from {} to {} have no owner", covered, plan_.elements);
  }

  void check_complete(int rank, const content& c) {
    contents_.clear();
    complete_.read(c.elements, contents_);
    for (const content& all : contents_)
      if (c.front != all.front || c.back != all.back)
        fault(fmt::format("result, rank {}", rank), "elements [{}, {}) have blended visibility [{}, {}) instead of [{}, {})",
              all.elements.begin, all.elements.end, c.front, c.back, all.front, all.back);
  }

  void check_sums() {
    for (int rank = 0; rank < plan_.ranks && !objects_.empty(); ++rank) {
      const span wanted = goal_.holds(rank);
      own_.clear();
      objects_[static_cast<std::size_t>(rank)].read({0, plan_.elements}, own_);
      for (const content& c : own_)
        if (c.front != wanted.begin || c.back != wanted.end)
          fault(fmt::format("the end, rank {}", rank), "elements [{}, {}) contain ranks [{}, {}) instead of [{}, {})",
                c.elements.begin, c.elements.end, c.front, c.back, wanted.begin, wanted.end);
    }
  }

  void check_delivery() {
    for (std::size_t i = 0; i < holder_.size() && problems_.size() < most_problems; ++i) {
      const int from = static_cast<int>(i / ranks_), to = static_cast<int>(i % ranks_);
      if (from == to) continue;
      const bool wanted = !goal_.wanted || goal_.wanted(from, to);
      if (holder_[i] != (wanted ? to : from))
        problems_.push_back({"the end", fmt::format("the parcel from {} to {} is at rank {}", from, to, holder_[i])});
    }
  }

  const plan& plan_;
  const goal& goal_;
  std::size_t ranks_;
  std::vector<symbolic_object> objects_;  // object of each rank; empty if contents are not verified
  symbolic_object complete_;
  std::vector<int> holder_;  // rank that has the parcel from i / ranks to i % ranks
  std::vector<problem> problems_;

  // State of the current round.
  std::vector<round> now_;  // round of each rank
  std::vector<under_way> under_way_;
  std::vector<content> contents_, own_;
  std::vector<std::vector<std::size_t>> inbox_;  // messages to each rank
};

}  // namespace

bool arrives_in_place(const round& round, const message& received) {
  return received.on_arrival == arrival::place &&
         std::none_of(round.sends.begin(), round.sends.end(),
                      [&](const message& sent) { return intersect(sent.elements, received.elements); });
}

std::int64_t staged_elements(const round& round) {
  std::int64_t sum = 0;
  for (const message& m : round.receives)
    if (!arrives_in_place(round, m)) sum += m.size();
  return sum;
}

std::vector<problem> verify(const plan& plan, const goal& goal) { return verifier(plan, goal).run(); }

}  // namespace osteon::plan
