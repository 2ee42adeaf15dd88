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

void check(const network& net, const simulate_options& o) {
  for (const double x : {o.receive_overhead, o.arrival_overhead, o.match_time, o.barrier_time})
    if (!(x >= 0) || !std::isfinite(x)) throw usage_error(fmt::format("overhead of {} s: must be finite and >= 0", x));
  if (!std::isfinite(o.send_overhead)) throw usage_error("the send overhead must be finite");
  if (!(o.combine_rate > 0)) throw usage_error(fmt::format("combining rate of {} bytes/s: must be > 0", o.combine_rate));
  if (!(o.background >= 0 && o.background < 1))
    throw usage_error(fmt::format("background load of {}: must be in [0, 1)", o.background));
  for (const plan::parcel s : o.streams)
    if (net.route(s.from, s.to).empty())
      throw usage_error(fmt::format("background stream from PU {} to PU {}: must connect two different PUs", s.from, s.to));
}

class simulator {
 public:
  simulator(const network& net, const plan::plan& plan, const simulate_options& options, std::vector<int> place)
      : net_(net), plan_(plan), options_(options), place_(std::move(place)), shares_(capacities(net, options)) {
    if (options_.send_overhead < 0) options_.send_overhead = net.startup;
    ranks_.resize(place_.size());
    ports_.resize(static_cast<std::size_t>(net.pus));
    result_.link_bytes.resize(net.links.size());
    result_.round_end.resize(static_cast<std::size_t>(plan.rounds));
    result_.rank_end.resize(place_.size());
    latencies_ = std::any_of(net.links.begin(), net.links.end(), [](const link& l) { return l.latency > 0; });
  }

  simulation run() {
    for (const plan::parcel s : options_.streams) shares_.add(net_.route(s.from, s.to));
    shares_.update();
    if (options_.barrier) {
      for (std::int64_t r = 0; r < plan_.rounds; ++r) {
        for (int rank = 0; rank < plan_.ranks; ++rank) enter(rank, r);
        drain();
        now_ = *std::max_element(result_.rank_end.begin(), result_.rank_end.end()) + options_.barrier_time;
        // All ranks leave the round when the last rank has finished the round.
        for (const auto& s : ranks_)
          if (s.waits) fail_waiting();
        std::fill(result_.rank_end.begin(), result_.rank_end.end(), now_);
        result_.round_end[static_cast<std::size_t>(r)] = now_;
      }
    } else {
      for (int rank = 0; rank < plan_.ranks; ++rank) enter(rank, 0);
      drain();
      for (const auto& s : ranks_)
        if (s.waits || !s.early.empty()) fail_waiting();
    }
    for (const double end : result_.rank_end) result_.total = std::max(result_.total, end);
    return std::move(result_);
  }

 private:
  enum class event_kind : std::uint8_t { ready, flown, arrived };
  struct event {
    double time;
    int message;
    std::uint32_t version;
    event_kind kind;
    bool operator>(const event& other) const { return time != other.time ? time > other.time : message > other.message; }
  };
  struct message {
    int from, to;
    std::int64_t round;
    double bytes, combined;
    double left, since, rate, latency;  // remaining bytes at the time `since`
    std::vector<int> route;
    int flow = -1;
    std::uint32_t version = 0;  // version of the valid event; events with older versions are ignored
  };
  struct rank_state {
    std::int64_t round = -1;
    std::int64_t sends = 0, receives = 0;  // number of unfinished messages
    std::int64_t received = 0;
    double processor = 0;  // time at which the processor becomes idle
    bool waits = false;
    std::vector<int> early;   // messages of later rounds that have already arrived
    std::vector<int> parked;  // messages that wait until this rank enters their round
  };
  struct injection {
    bool busy = false;
    std::deque<int> queue;
  };

  static std::vector<double> capacities(const network& net, const simulate_options& o) {
    std::vector<double> result;
    for (const link& l : net.links) result.push_back(l.rate * (1 - o.background));
    return result;
  }

  rank_state& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  message& at(int m) { return messages_[static_cast<std::size_t>(m)]; }
  int place(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  bool apart(const message& m) const { return place(m.from) != place(m.to); }

  [[noreturn]] void fail_waiting() const {
    throw usage_error(fmt::format(
        "plan '{}' does not terminate: a send or receive has no counterpart; verify the plan first", plan_.name));
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

  void push(double time, int m, event_kind kind) { events_.push({time, m, ++at(m).version, kind}); }

  // Enter a round. Rounds in which the rank has no messages are skipped.
  void enter(int rank, std::int64_t round) {
    rank_state& s = state(rank);
    for (;; ++round) {
      s.round = round;
      if (round >= plan_.rounds) return;
      const plan::round own = plan_.of(rank, round);
      const auto sends = plan::transfers(plan_, own.sends);
      s.sends = std::ssize(sends);
      s.receives = std::ssize(plan::transfers(plan_, own.receives));
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
    m.route.clear();
    net_.append_route(place(rank), place(send.peer), m.route);
    m.latency = 0;
    for (const int l : m.route) result_.link_bytes[static_cast<std::size_t>(l)] += m.bytes;
    if (latencies_)
      for (const int l : m.route) m.latency += net_.links[static_cast<std::size_t>(l)].latency;
    ++result_.messages;
    rank_state& s = state(rank);
    s.processor += options_.send_overhead;
    push(s.processor, i, event_kind::ready);
  }

  void start(int i) {
    message& m = at(i);
    injection& port = ports_[static_cast<std::size_t>(place(m.from))];
    if (options_.rendezvous && state(m.to).round < m.round) return state(m.to).parked.push_back(i);
    if (options_.serial_sends && apart(m)) {
      if (port.busy) return port.queue.push_back(i);
      port.busy = true;
    }
    if (m.bytes == 0 || !apart(m)) return push(now_, i, event_kind::flown);
    m.left = m.bytes;
    m.since = now_;
    m.rate = 0;
    m.flow = shares_.add(m.route);
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
      push(now_ + m.latency, i, event_kind::arrived);
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

  // If a rank has no remaining work, complete its round at `time`.
  void finish(int rank, double time) {
    rank_state& s = state(rank);
    if (!s.waits || s.sends > 0 || s.receives > 0) return;
    s.waits = false;
    time = std::max(time, s.processor);
    leave(rank, time);
    if (!options_.barrier) later_.push({time, rank, 0, event_kind::ready});
  }

  void drain() {
    while (!events_.empty() || !later_.empty()) {
      double next = std::numeric_limits<double>::infinity();
      if (!events_.empty()) next = events_.top().time;
      if (!later_.empty()) next = std::min(next, later_.top().time);
      now_ = std::max(now_, next);
      // Events at times that are equal within rounding errors are processed together. For equal flows, the rates are
      // therefore computed only once.
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
        if (e.kind == event_kind::ready) start(e.message);
        if (e.kind == event_kind::flown) flown(e.message);
        if (e.kind == event_kind::arrived) arrive(e.message);
      }
      if (flows_change_) share();
    }
  }

  void share() {
    flows_change_ = false;
    ++result_.solutions;
    for (const int f : shares_.update()) {
      const int i = static_cast<std::size_t>(f) < of_flow_.size() ? of_flow_[static_cast<std::size_t>(f)] : -1;
      if (i < 0) continue;  // the flow is a background stream
      message& m = at(i);
      m.left = std::max(0.0, m.left - m.rate * (now_ - m.since));
      m.since = now_;
      m.rate = shares_.rate(f);
      push(now_ + m.left / m.rate, i, event_kind::flown);
    }
  }

  const network& net_;
  const plan::plan& plan_;
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
  // later_ contains the ranks that leave their round
  std::priority_queue<event, std::vector<event>, std::greater<>> events_, later_;
};

}  // namespace

simulation simulate(const network& net, const plan::plan& plan, const simulate_options& options,
                    std::span<const int> places) {
  check(net, options);
  return simulator(net, plan, options, place_ranks(net, plan.ranks, places)).run();
}

}  // namespace osteon::net
