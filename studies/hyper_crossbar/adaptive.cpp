#include <studies/hyper_crossbar/adaptive.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <utility>

namespace osteon::studies {

namespace {

struct routed_message {
  int from, to;
  double bytes;
  std::size_t order = 0;  // index of the selected order of dimensions
};

// Messages of a round on the links of a network.
class adaptive_round {
 public:
  adaptive_round(const std::vector<net::network>& orders, std::size_t links) : orders_(orders), load_(links), busy_(links) {}

  void take(std::vector<routed_message> messages) {
    for (const routed_message& m : messages_) put(m, -1);
    messages_ = std::move(messages);
    for (const routed_message& m : messages_) put(m, 1);
  }

  // Messages select an order one after another, until no message can improve its route. Each change reduces the busy time of
  // the route of a message. In practice, a few sweeps are sufficient. The number of sweeps is limited.
  void adapt() {
    bool changed = true;
    for (int sweep = 0; sweep < 16 && changed; ++sweep) {
      changed = false;
      for (routed_message& m : messages_) {
        put(m, -1);
        std::size_t best = m.order;
        auto least = burden(m, best);
        for (std::size_t o = 0; o < orders_.size(); ++o)
          if (const auto now = burden(m, o); now < least) least = now, best = o;
        changed = changed || best != m.order;
        m.order = best;
        put(m, 1);
      }
    }
  }

  void count(routing_loads& into, double startup) {
    int largest = 0;
    double busiest = 0, latency = 0;
    for (const routed_message& m : messages_) {
      double of_way = 0;
      for (const int l : way(m, m.order)) {
        const auto i = static_cast<std::size_t>(l);
        largest = std::max(largest, load_[i]);
        busiest = std::max(busiest, busy_[i]);
        of_way += orders_[0].links[i].latency;
      }
      latency = std::max(latency, of_way);
    }
    into.largest = std::max(into.largest, largest);
    into.mean_largest += largest;  // the value is a sum until all rounds have been counted
    into.free_rounds += largest <= 1;
    if (!messages_.empty()) into.seconds += startup + busiest + latency;
  }

 private:
  const std::vector<int>& way(const routed_message& m, std::size_t order) {
    way_.clear();
    orders_[order].append_route(m.from, m.to, way_);
    return way_;
  }
  // Cost of a route with this message. The cost consists of the busy time of the busiest link, and of the sum of the busy
  // times over the route.
  std::pair<double, double> burden(const routed_message& m, std::size_t order) {
    double most = 0, sum = 0;
    for (const int l : way(m, order)) {
      const auto i = static_cast<std::size_t>(l);
      const double busy = busy_[i] + m.bytes / orders_[0].links[i].rate;
      most = std::max(most, busy);
      sum += busy;
    }
    return {most, sum};
  }
  void put(const routed_message& m, int sign) {
    for (const int l : way(m, m.order)) {
      const auto i = static_cast<std::size_t>(l);
      load_[i] += sign;
      // The busy time of an empty link is exactly zero.
      busy_[i] = load_[i] == 0 ? 0 : busy_[i] + sign * m.bytes / orders_[0].links[i].rate;
    }
  }

  const std::vector<net::network>& orders_;
  std::vector<int> load_;
  std::vector<double> busy_;  // s
  std::vector<routed_message> messages_;
  std::vector<int> way_;
};

// The network with each order of the dimensions that have more than one PU. The first order is the order of the network.
std::vector<net::network> all_orders(const std::string& text) {
  net::network_request request = net::parse_network(text);
  if (request.order.empty() || !request.minimal)
    throw usage_error(fmt::format(
        "'{}': adaptive routing chooses among orders of dimensions: use a hyper-crossbar, torus, mesh or hypercube", text));
  const std::vector<int> own = request.order;
  std::vector<int> alone, chosen;
  for (const int d : own) (request.shape[static_cast<std::size_t>(d)] > 1 ? chosen : alone).push_back(d);
  if (chosen.size() > 5)
    throw usage_error(fmt::format("'{}' has {} dimensions with {}! orders: adaptive routing is compared for up to 5", text,
                                  chosen.size(), chosen.size()));
  std::vector<net::network> result{net::make_network(request)};
  std::vector<int> order = chosen;
  std::sort(order.begin(), order.end());
  do {
    if (order == chosen) continue;
    request.order = order;
    request.order.insert(request.order.end(), alone.begin(), alone.end());
    result.push_back(net::make_network(request));
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

}  // namespace

routing_comparison compare_routings(const std::string& text, const plan::plan& plan) {
  const std::vector<net::network> orders = all_orders(text);
  const net::network& where = orders.front();
  net::place_ranks(where, plan.ranks);  // this call throws if there are more ranks than PUs
  routing_comparison result;
  result.rounds = plan.rounds;
  result.orders = static_cast<int>(orders.size());
  adaptive_round round(orders, where.links.size());
  for (std::int64_t r = 0; r < plan.rounds; ++r) {
    std::vector<routed_message> messages;
    std::size_t most = 0;
    for (int rank = 0; rank < plan.ranks; ++rank) {
      const plan::round now = plan.of(rank, r);
      most = std::max(most, now.sends.size());
      for (const plan::message& m : now.sends)
        if (m.peer != rank) messages.push_back({rank, m.peer, static_cast<double>(plan.bytes(m))});
    }
    const double startup = where.startup * static_cast<double>(most);
    round.take(std::move(messages));
    round.count(result.fixed, startup);
    round.adapt();
    round.count(result.adaptive, startup);
  }
  if (plan.rounds > 0)
    for (routing_loads* loads : {&result.fixed, &result.adaptive}) loads->mean_largest /= static_cast<double>(plan.rounds);
  return result;
}

}  // namespace osteon::studies
