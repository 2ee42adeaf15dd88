#include <osteon/net/costs/plan_cost.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

// Time of a rank, and components of this time along the critical path.
struct clock {
  double time = 0, blend = 0, collect = 0;
};

// All elements that a rank sends to another rank in a round form one message.
struct message {
  int from = 0, to = 0;
  std::int64_t elements = 0;
  double departure = 0;  // time of the first byte
  double blend = 0;      // time of blending
};

// Cause of the end of a round. The cause is a chain of events that begins when the rank `from` enters the round.
struct cause {
  double end = 0, blend = 0;
  int from = 0;
};

void keep_later(cause& latest, const cause& other) {
  if (other.end > latest.end) latest = other;
}

class walk_of_plan {
 public:
  walk_of_plan(const plan::plan& plan, const compositing_machine& machine, double bytes_per_element)
      : plan_(plan), machine_(machine), bytes_per_element_(bytes_per_element), ranks_(static_cast<std::size_t>(plan.ranks)) {
    sent_.resize(ranks_);
    received_.resize(ranks_);
    clocks_.resize(ranks_);
    sends_done_.resize(ranks_);
    processor_free_.resize(ranks_);
    message_to_.resize(ranks_);
    now_.resize(ranks_);
  }

  plan_cost run() {
    for (std::int64_t r = 0; r < plan_.rounds; ++r) {
      for (std::size_t rank = 0; rank < ranks_; ++rank) now_[rank] = plan_.of(static_cast<int>(rank), r);
      post_sends(r);
      finish_round(r);
    }
    return summary();
  }

 private:
  double bytes(std::int64_t elements) const { return static_cast<double>(elements) * bytes_per_element_; }
  std::size_t host(std::size_t rank) const { return rank / static_cast<std::size_t>(machine_.ranks_per_host); }
  bool leaves_host(std::size_t rank, int peer) const { return host(rank) != host(static_cast<std::size_t>(peer)); }

  // Transmission time at the sender or at the receiver, if `sharers` ranks use the link of the host.
  double transfer(double amount, bool off_host, int sharers) const {
    const double alone = 1 / (blends_ ? machine_.rate : machine_.collect_rate);
    return amount * (off_host ? std::max(alone, sharers / machine_.host_rate) : alone);
  }

  // Count the ranks on each host that use the link of the host in this round. Detect whether the round contains blends.
  void look_ahead(std::int64_t r) {
    sharers_.assign(host(ranks_ - 1) + 1, 0);
    blends_ = false;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      bool off_host = false;
      for (const auto* const messages : {&now_[rank].sends, &now_[rank].receives})
        for (const plan::message& m : *messages) {
          if (m.peer < 0 || m.peer >= plan_.ranks)
            throw usage_error(
                fmt::format("round {}: rank {} exchanges a message with rank {}, but the plan has the ranks 0 to {}", r,
                            rank, m.peer, plan_.ranks - 1));
          off_host = off_host || leaves_host(rank, m.peer);
          blends_ = blends_ || m.is_combined();
        }
      if (off_host) ++sharers_[host(rank)];
    }
  }

  // Send the messages of a round. Sort the messages by receiver, then by sender.
  void post_sends(std::int64_t r) {
    look_ahead(r);
    sent_now_.clear();
    first_.assign(ranks_ + 1, 0);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::size_t begin = sent_now_.size();
      for (const plan::message& s : now_[rank].sends) {
        const auto peer = static_cast<std::size_t>(s.peer);
        if (message_to_[peer] < begin || message_to_[peer] >= sent_now_.size() ||
            sent_now_[message_to_[peer]].to != s.peer) {
          message_to_[peer] = sent_now_.size();
          sent_now_.push_back({static_cast<int>(rank), s.peer, 0, 0, 0});
          ++first_[peer + 1];
        }
        sent_now_[message_to_[peer]].elements += s.elements.size();
      }
      double processor = clocks_[rank].time, port = clocks_[rank].time;
      for (std::size_t i = begin; i < sent_now_.size(); ++i) {
        message& m = sent_now_[i];
        processor += machine_.send_overhead;
        m.departure = std::max(processor, port);
        port = m.departure + transfer(bytes(m.elements), leaves_host(rank, m.to), sharers_[host(rank)]);
        sent_[rank] += bytes(m.elements);
      }
      processor_free_[rank] = processor;
      sends_done_[rank] = port;
    }
    for (std::size_t rank = 0; rank < ranks_; ++rank) first_[rank + 1] += first_[rank];
    messages_.resize(sent_now_.size());
    double largest = 0;
    for (const message& m : sent_now_) largest = std::max(largest, bytes(m.elements));
    largest_ += largest;
    total_ += static_cast<std::int64_t>(sent_now_.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const message& m : sent_now_) messages_[next[static_cast<std::size_t>(m.to)]++] = m;
  }

  // Set the blending time of each message to `rank`.
  void match(std::size_t rank, std::int64_t r) {
    receives_ = std::move(now_[rank].receives);
    std::stable_sort(receives_.begin(), receives_.end(), [](const auto& a, const auto& b) { return a.peer < b.peer; });
    auto awaited = receives_.begin();
    bool sound = true;
    for (std::size_t i = first_[rank]; i < first_[rank + 1]; ++i) {
      message& m = messages_[i];
      std::int64_t elements = 0;
      for (; awaited != receives_.end() && awaited->peer == m.from; ++awaited) {
        elements += awaited->elements.size();
        if (awaited->is_combined())
          m.blend += machine_.blend_overhead + bytes(awaited->elements.size()) / machine_.blend_rate;
      }
      sound = sound && elements == m.elements;
    }
    if (!sound || awaited != receives_.end())
      throw usage_error(fmt::format("round {}: the receives of rank {} do not match the sends; verify the plan '{}' first",
                                    r, rank, plan_.name));
  }

  // Update `latest` with the time at which `rank` has received and blended all messages. If work is processed in the order
  // of arrival without idling, its end is a maximum over i. The maximum is over (release time of i + duration of all work
  // that is released at or after i).
  void arrivals(std::size_t rank, cause& latest) {
    const std::size_t begin = first_[rank], end = first_[rank + 1];
    if (begin == end) return;
    const auto by_departure = [](const message& a, const message& b) { return a.departure < b.departure; };
    std::stable_sort(messages_.begin() + static_cast<std::ptrdiff_t>(begin),
                     messages_.begin() + static_cast<std::ptrdiff_t>(end), by_departure);
    const double share = machine_.fan_in(static_cast<double>(end - begin)) / static_cast<double>(end - begin);
    const double latency = blends_ ? machine_.latency : machine_.collect_latency;
    double least_blend = std::numeric_limits<double>::infinity();
    works_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const message& m = messages_[i];
      const std::size_t from = static_cast<std::size_t>(m.from);
      const bool off_host = leaves_host(rank, m.from);
      // The slower of the two hosts limits the transmission.
      const double moved =
          transfer(bytes(m.elements), off_host, std::max(sharers_[host(rank)], sharers_[host(from)])) + share;
      const double entry = clocks_[rank].time, arrival = m.departure + latency;
      works_.push_back({std::max(entry, arrival), moved, m.blend, arrival > entry ? m.from : static_cast<int>(rank)});
      least_blend = std::min(least_blend, m.blend);
      received_[rank] += bytes(m.elements);
    }
    // The order of arrival is optimal for the port and for the processor.
    double moved = 0;
    for (std::size_t i = works_.size(); i-- > 0;) {
      moved += works_[i].moved;
      keep_later(latest, {works_[i].release + moved + least_blend, least_blend, works_[i].from});
    }
    const auto received = [&](const work& w) { return std::max(w.release + w.moved, processor_free_[rank]); };
    std::sort(works_.begin(), works_.end(), [&](const work& a, const work& b) { return received(a) < received(b); });
    double blended = 0;
    for (std::size_t i = works_.size(); i-- > 0;) {
      blended += works_[i].blend;
      const bool waits_for_itself = works_[i].release + works_[i].moved < processor_free_[rank];
      keep_later(latest,
                 {received(works_[i]) + blended, blended, waits_for_itself ? static_cast<int>(rank) : works_[i].from});
    }
  }

  void finish_round(std::int64_t r) {
    std::vector<clock> after(ranks_);
    cause_of_end_.emplace_back(ranks_);
    ends_.emplace_back(ranks_);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      match(rank, r);
      cause latest{std::max(sends_done_[rank], processor_free_[rank]), 0, static_cast<int>(rank)};
      arrivals(rank, latest);
      const clock& before = clocks_[static_cast<std::size_t>(latest.from)];
      after[rank] = {latest.end, before.blend + latest.blend, before.collect};
      if (!blends_) after[rank].collect += latest.end - before.time;
      cause_of_end_.back()[rank] = latest.from;
      ends_.back()[rank] = latest.end;
    }
    clocks_ = std::move(after);
  }

  plan_cost summary() const {
    plan_cost result;
    result.rounds = plan_.rounds;
    result.messages = total_;
    for (const double sent : sent_) result.bytes += sent;
    if (result.bytes > 0)
      result.skew = largest_ * static_cast<double>(total_) / (static_cast<double>(plan_.rounds) * result.bytes);
    std::size_t last = 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (clocks_[rank].time > clocks_[last].time) last = rank;
      const double most = std::max(sent_[rank], received_[rank]);
      if (most > result.busiest_bytes) {
        result.busiest_bytes = most;
        result.busiest_rank = static_cast<int>(rank);
      }
    }
    const clock& end = clocks_[last];
    result.total = end.time;
    result.blend = end.blend;
    result.collect = end.collect;
    result.exchange = end.time - end.blend - end.collect;
    std::size_t rank = last;
    for (auto r = static_cast<std::size_t>(plan_.rounds); r-- > 0;) {
      const std::size_t from = static_cast<std::size_t>(cause_of_end_[r][rank]);
      const double begin = r > 0 ? ends_[r - 1][from] : 0;
      result.path.push_back({static_cast<int>(rank), static_cast<int>(r), begin, ends_[r][rank]});
      rank = from;
    }
    std::reverse(result.path.begin(), result.path.end());
    return result;
  }

  struct work {
    double release, moved, blend;
    int from;
  };

  const plan::plan& plan_;
  const compositing_machine& machine_;
  double bytes_per_element_;
  std::size_t ranks_;
  std::int64_t total_ = 0;
  double largest_ = 0;  // sum over rounds of the bytes of the largest message
  std::vector<clock> clocks_;
  std::vector<double> sent_, received_;
  // State of the current round.
  std::vector<plan::round> now_;  // round of each rank
  bool blends_ = false;
  // for each host: ranks that send messages to other hosts or receive messages from other hosts
  std::vector<int> sharers_;
  std::vector<message> sent_now_;                    // messages of each sender
  std::vector<std::size_t> message_to_;              // for each receiver: index in sent_now_ of the current sender's message
  std::vector<std::size_t> first_;                   // first message to each rank
  std::vector<message> messages_;                    // messages of each receiver
  std::vector<double> sends_done_, processor_free_;  // times for each rank
  std::vector<plan::message> receives_;
  std::vector<work> works_;
  // State of all rounds.
  std::vector<std::vector<int>> cause_of_end_;
  std::vector<std::vector<double>> ends_;
};

}  // namespace

plan_cost cost_of(const plan::plan& plan, const compositing_machine& machine, double bytes_per_element) {
  if (plan.ranks < 1)
    throw usage_error(fmt::format("the plan has {} ranks; the cost requires at least one rank", plan.ranks));
  return walk_of_plan(plan, machine, bytes_per_element).run();
}

}  // namespace osteon::net
