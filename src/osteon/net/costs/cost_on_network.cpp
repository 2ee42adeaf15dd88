#include <algorithm>
#include <osteon/net/costs/plan_cost.hpp>

namespace osteon::net {

namespace {

struct arriving {
  double time, flow, combined;  // arrival time of the last byte, transmission time at the port, and bytes to combine
};

class walk_of_exchange {
 public:
  walk_of_exchange(const network& net, const plan::plan& plan, const simulate_options& options, std::vector<int> place)
      : net_(net),
        plan_(plan),
        options_(options),
        place_(std::move(place)),
        clock_(place_.size()),
        inbox_(place_.size()),
        sent_bytes_(place_.size()),
        received_bytes_(place_.size()),
        load_(net.links.size()) {
    if (options_.send_overhead < 0) options_.send_overhead = net.startup;
  }

  plan_cost run() {
    result_.rounds = plan_.rounds;
    double largest = 0;
    for (std::int64_t r = 0; r < plan_.rounds; ++r) largest += round(r);
    if (result_.bytes > 0)
      result_.skew = largest / (static_cast<double>(plan_.rounds) * result_.bytes / static_cast<double>(result_.messages));
    for (const double end : clock_) result_.total = std::max(result_.total, end);
    for (std::size_t rank = 0; rank < place_.size(); ++rank)
      if (const double most = std::max(sent_bytes_[rank], received_bytes_[rank]); most > result_.busiest_bytes) {
        result_.busiest_bytes = most;
        result_.busiest_rank = static_cast<int>(rank);
      }
    return result_;
  }

 private:
  // Process the sends of all ranks, then the arrivals. @return bytes of the largest message
  double round(std::int64_t r) {
    double largest = 0, most_expensive = 0, most_overhead = 0, longest_latency = 0;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      const auto sends = plan::transfers(plan_, plan_.of(rank, r).sends);
      double& port = sent(rank);
      port = clock(rank);
      double processor = clock(rank), alone = 0;
      for (const plan::transfer& m : sends) {
        const double bytes = static_cast<double>(m.bytes);
        route_.clear();
        net_.append_route(place_[static_cast<std::size_t>(rank)], place_[static_cast<std::size_t>(m.peer)], route_);
        double latency = 0;
        for (const int l : route_) {
          const auto i = static_cast<std::size_t>(l);
          latency += net_.links[i].latency;
          if (load_[i] == 0) used_.push_back(l);
          load_[i] += bytes / net_.links[i].rate;
        }
        const double flow = route_.empty() ? 0 : bytes / net_.links[static_cast<std::size_t>(route_.front())].rate;
        processor += options_.send_overhead;
        port = std::max(port, processor) + flow;
        inbox_[static_cast<std::size_t>(m.peer)].push_back({port + latency, flow, static_cast<double>(m.combined)});
        alone += options_.send_overhead + flow;
        longest_latency = std::max(longest_latency, latency);
        largest = std::max(largest, bytes);
        result_.bytes += bytes;
        sent_bytes_[static_cast<std::size_t>(rank)] += bytes;
        received_bytes_[static_cast<std::size_t>(m.peer)] += bytes;
        ++result_.messages;
      }
      most_expensive = std::max(most_expensive, alone);
      most_overhead = std::max(most_overhead, static_cast<double>(sends.size()) * options_.send_overhead);
    }
    double busiest = 0;
    for (const int l : used_) {
      busiest = std::max(busiest, load_[static_cast<std::size_t>(l)]);
      load_[static_cast<std::size_t>(l)] = 0;
    }
    used_.clear();
    result_.startup_and_bytes += most_expensive + options_.barrier_time;
    result_.busiest_links += most_overhead + busiest + longest_latency + options_.barrier_time;
    for (int rank = 0; rank < plan_.ranks; ++rank) receive(rank);
    return largest;
  }

  void receive(int rank) {
    auto& box = inbox_[static_cast<std::size_t>(rank)];
    std::sort(box.begin(), box.end(), [](const arriving& a, const arriving& b) { return a.time < b.time; });
    double port = 0, processor = clock(rank), count = 0;
    for (const arriving& m : box) {
      port = std::max(m.time, port + m.flow);
      processor = std::max(processor, port) + options_.receive_overhead + m.combined / options_.combine_rate +
                  (count > 0 ? options_.arrival_overhead : 0) + count * options_.match_time;
      ++count;
    }
    box.clear();
    clock(rank) = std::max(sent(rank), processor);
  }

  double& clock(int rank) { return clock_[static_cast<std::size_t>(rank)]; }
  double& sent(int rank) {
    if (sent_.empty()) sent_.resize(clock_.size());
    return sent_[static_cast<std::size_t>(rank)];
  }

  const network& net_;
  const plan::plan& plan_;
  simulate_options options_;
  std::vector<int> place_;
  plan_cost result_;
  // end of the last round of each rank, and end of the transmission at the port of each rank
  std::vector<double> clock_, sent_;
  std::vector<std::vector<arriving>> inbox_;
  std::vector<double> sent_bytes_, received_bytes_;  // bytes of each rank
  std::vector<double> load_;                         // busy time of each link in this round
  std::vector<int> used_, route_;
};

}  // namespace

plan_cost cost_of(const network& net, const plan::plan& plan, const simulate_options& options, std::span<const int> places) {
  return walk_of_exchange(net, plan, options, place_ranks(net, plan.ranks, places)).run();
}

}  // namespace osteon::net
