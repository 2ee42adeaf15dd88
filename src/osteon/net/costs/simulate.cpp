#include <osteon/net/costs/simulate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/fair_sharing.hpp>
#include <queue>

namespace osteon::net {

namespace {

void check(const network& where, const simulate_options& o) {
  for (const double x : {o.receive_overhead, o.arrival_overhead, o.match_time, o.barrier_time})
    if (!(x >= 0) || !std::isfinite(x)) throw usage_error(fmt::format("a time of {} s: must not be negative", x));
  if (!std::isfinite(o.send_overhead)) throw usage_error("the send overhead must be a number");
  if (!(o.combine_rate > 0)) throw usage_error(fmt::format("a combining rate of {}: must be positive", o.combine_rate));
  if (!(o.background >= 0 && o.background < 1))
    throw usage_error(fmt::format("a background load of {}: must be in [0, 1)", o.background));
  for (const plan::parcel s : o.streams)
    if (where.route(s.from, s.to).empty()) throw usage_error(fmt::format("a stream from PU {} to itself", s.from));
}

class simulator {
 public:
  simulator(const network& where, const plan::plan& what, const simulate_options& options, std::vector<int> place)
      : where_(where), what_(what), options_(options), place_(std::move(place)), shares_(capacities(where, options)) {
    if (options_.send_overhead < 0) options_.send_overhead = where.startup;
    ranks_.resize(place_.size());
    ports_.resize(static_cast<std::size_t>(where.pus));
    result_.link_bytes.resize(where.links.size());
    result_.round_end.resize(static_cast<std::size_t>(what.rounds));
    result_.rank_end.resize(place_.size());
    latencies_ = std::any_of(where.links.begin(), where.links.end(), [](const link& l) { return l.latency > 0; });
  }

  simulation run() {
    for (const plan::parcel s : options_.streams) shares_.add(where_.route(s.from, s.to));
    shares_.update();
    if (options_.barrier) {
      for (std::int64_t r = 0; r < what_.rounds; ++r) {
        for (int rank = 0; rank < what_.ranks; ++rank) enter(rank, r);
        drain();
        now_ = *std::max_element(result_.rank_end.begin(), result_.rank_end.end()) + options_.barrier_time;
        // All ranks leave together when the last one has arrived.
        for (const auto& s : ranks_)
          if (s.waits) fail_waiting();
        std::fill(result_.rank_end.begin(), result_.rank_end.end(), now_);
        result_.round_end[static_cast<std::size_t>(r)] = now_;
      }
    } else {
      for (int rank = 0; rank < what_.ranks; ++rank) enter(rank, 0);
      drain();
      for (const auto& s : ranks_)
        if (s.waits || !s.early.empty()) fail_waiting();
    }
    for (const double end : result_.rank_end) result_.total = std::max(result_.total, end);
    return std::move(result_);
  }

 private:
  enum class what_happens : std::uint8_t { ready, flown, arrived };
  struct event {
    double time;
    int message;
    std::uint32_t version;
    what_happens kind;
    bool operator>(const event& other) const { return time != other.time ? time > other.time : message > other.message; }
  };
  struct message {
    int from, to;
    std::int64_t round;
    double bytes, combined;
    double left, since, rate, latency;  // bytes left at time `since`
    std::vector<int> way;
    int flow = -1;
    std::uint32_t version = 0;  // version of its events: older ones are invalid
  };
  struct rank_state {
    std::int64_t round = -1;
    std::int64_t sends = 0, receives = 0;  // still to be finished
    std::int64_t received = 0;
    double processor = 0;  // free from then on
    bool waits = false;
    std::vector<int> early;   // messages of later rounds that have arrived
    std::vector<int> parked;  // messages that wait for this rank to enter their round
  };
  struct injection {
    bool busy = false;
    std::deque<int> queue;
  };

  static std::vector<double> capacities(const network& where, const simulate_options& o) {
    std::vector<double> result;
    for (const link& l : where.links) result.push_back(l.rate * (1 - o.background));
    return result;
  }

  rank_state& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  message& at(int m) { return messages_[static_cast<std::size_t>(m)]; }
  int place(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  bool apart(const message& m) const { return place(m.from) != place(m.to); }

  [[noreturn]] void fail_waiting() const {
    throw usage_error(
        fmt::format("the plan '{}' does not end: a message has only one end; verify the plan first", what_.name));
  }

  int new_message() {
    if (free_.empty()) {
      messages_.emplace_back();
      return static_cast<int>(messages_.size()) - 1;
    }
    const int m = free_.back();
    free_.pop_back();
    return m;
  }

  void push(double time, int m, what_happens kind) { events_.push({time, m, ++at(m).version, kind}); }

  // Enter a round, and the following ones while they are empty.
  void enter(int rank, std::int64_t round) {
    rank_state& s = state(rank);
    for (;; ++round) {
      s.round = round;
      if (round >= what_.rounds) return;
      const plan::round own = what_.of(rank, round);
      const auto sends = plan::transfers(what_, own.sends);
      s.sends = std::ssize(sends);
      s.receives = std::ssize(plan::transfers(what_, own.receives));
      s.received = 0;
      s.processor = std::max(s.processor, now_);
      if (s.sends + s.receives == 0) {
        if (options_.barrier) return;
        leave(rank, now_);
        continue;
      }
      s.waits = true;
      for (const plan::transfer& send : sends) post(rank, round, send);
      break;
    }
    take_early(rank);
    if (!s.parked.empty()) {
      const auto parked = std::move(s.parked);
      s.parked.clear();
      for (const int m : parked) at(m).round == s.round ? start(m) : s.parked.push_back(m);
    }
  }

  void leave(int rank, double time) {
    auto& end = result_.rank_end[static_cast<std::size_t>(rank)];
    end = std::max(end, time);
    auto& of_round = result_.round_end[static_cast<std::size_t>(state(rank).round)];
    of_round = std::max(of_round, time);
  }

  void post(int rank, std::int64_t round, const plan::transfer& send) {
    const int i = new_message();
    message& m = at(i);
    m.from = rank;
    m.to = send.peer;
    m.round = round;
    m.bytes = static_cast<double>(send.bytes);
    m.combined = static_cast<double>(send.combined);
    m.way.clear();
    where_.append_route(place(rank), place(send.peer), m.way);
    m.latency = 0;
    for (const int l : m.way) result_.link_bytes[static_cast<std::size_t>(l)] += m.bytes;
    if (latencies_)
      for (const int l : m.way) m.latency += where_.links[static_cast<std::size_t>(l)].latency;
    ++result_.messages;
    rank_state& s = state(rank);
    s.processor += options_.send_overhead;
    push(s.processor, i, what_happens::ready);
  }

  void start(int i) {
    message& m = at(i);
    injection& port = ports_[static_cast<std::size_t>(place(m.from))];
    if (options_.rendezvous && state(m.to).round < m.round) return state(m.to).parked.push_back(i);
    if (options_.serial_sends && apart(m)) {
      if (port.busy) return port.queue.push_back(i);
      port.busy = true;
    }
    if (m.bytes == 0 || !apart(m)) return push(now_, i, what_happens::flown);
    m.left = m.bytes;
    m.since = now_;
    m.rate = 0;
    m.flow = shares_.add(m.way);
    if (of_flow_.size() <= static_cast<std::size_t>(m.flow)) of_flow_.resize(static_cast<std::size_t>(m.flow) + 1, -1);
    of_flow_[static_cast<std::size_t>(m.flow)] = i;
    flows_change_ = true;
  }

  void flown(int i) {
    message& m = at(i);
    if (m.flow >= 0) {
      shares_.remove(m.flow);
      m.flow = -1;
      flows_change_ = true;
    }
    if (options_.serial_sends && apart(m)) {
      injection& port = ports_[static_cast<std::size_t>(place(m.from))];
      port.busy = false;
      if (!port.queue.empty()) {
        const int next = port.queue.front();
        port.queue.pop_front();
        start(next);
      }
    }
    if (m.latency > 0)
      push(now_ + m.latency, i, what_happens::arrived);
    else
      arrive(i);
    --state(m.from).sends;
    finish(m.from, now_);
  }

  void arrive(int i) {
    const message& m = at(i);
    rank_state& s = state(m.to);
    if (s.round < m.round) return s.early.push_back(i);
    take(i);
  }

  void take_early(int rank) {
    rank_state& s = state(rank);
    const auto early = std::move(s.early);
    s.early.clear();
    for (const int m : early) at(m).round == s.round ? take(m) : s.early.push_back(m);
  }

  void take(int i) {
    const message& m = at(i);
    rank_state& s = state(m.to);
    if (s.round != m.round || s.receives == 0) fail_waiting();
    s.processor = std::max(s.processor, now_) + options_.receive_overhead + m.combined / options_.combine_rate +
                  (s.received > 0 ? options_.arrival_overhead : 0) + static_cast<double>(s.received) * options_.match_time;
    ++s.received;
    --s.receives;
    free_.push_back(i);
    finish(m.to, s.processor);
  }

  // Complete the round of a rank at `time` if it has no remaining work.
  void finish(int rank, double time) {
    rank_state& s = state(rank);
    if (!s.waits || s.sends > 0 || s.receives > 0) return;
    s.waits = false;
    time = std::max(time, s.processor);
    leave(rank, time);
    if (!options_.barrier) later_.push({time, rank, 0, what_happens::ready});
  }

  void drain() {
    while (!events_.empty() || !later_.empty()) {
      double next = std::numeric_limits<double>::infinity();
      if (!events_.empty()) next = events_.top().time;
      if (!later_.empty()) next = std::min(next, later_.top().time);
      now_ = std::max(now_, next);
      // Events within rounding of one another are one event, so that equal flows are solved for once.
      const double until = now_ * (1 + 1e-12);
      while (!later_.empty() && later_.top().time <= until) {
        const int rank = later_.top().message;
        later_.pop();
        enter(rank, state(rank).round + 1);
      }
      while (!events_.empty() && events_.top().time <= until) {
        const event e = events_.top();
        events_.pop();
        if (at(e.message).version != e.version) continue;
        if (e.kind == what_happens::ready) start(e.message);
        if (e.kind == what_happens::flown) flown(e.message);
        if (e.kind == what_happens::arrived) arrive(e.message);
      }
      if (flows_change_) share();
    }
  }

  void share() {
    flows_change_ = false;
    ++result_.solutions;
    for (const int f : shares_.update()) {
      const int i = static_cast<std::size_t>(f) < of_flow_.size() ? of_flow_[static_cast<std::size_t>(f)] : -1;
      if (i < 0) continue;  // a stream of others
      message& m = at(i);
      m.left = std::max(0.0, m.left - m.rate * (now_ - m.since));
      m.since = now_;
      m.rate = shares_.rate(f);
      push(now_ + m.left / m.rate, i, what_happens::flown);
    }
  }

  const network& where_;
  const plan::plan& what_;
  simulate_options options_;
  std::vector<int> place_;
  fair_sharing shares_;
  simulation result_;
  double now_ = 0;
  bool flows_change_ = false, latencies_ = false;
  std::vector<rank_state> ranks_;
  std::vector<injection> ports_;
  std::deque<message> messages_;
  std::vector<int> free_, of_flow_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_, later_;  // later_: ranks that leave their round
};

}  // namespace

simulation simulate(const network& where, const plan::plan& what, const simulate_options& options,
                    std::span<const int> places) {
  check(where, options);
  return simulator(where, what, options, place_ranks(where, what.ranks, places)).run();
}

}  // namespace osteon::net
