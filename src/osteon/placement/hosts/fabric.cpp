#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/hosts/fabric.hpp>

namespace osteon::placement {

namespace {

constexpr int most_hosts_of_a_table = 512;

double eighth_power(double x) {
  x *= x;
  x *= x;
  return x * x;
}

// Loads of all links, and the objective function of simulated annealing. Moves of vertices update these values.
class moving_load {
 public:
  moving_load(const graph& g, std::vector<int> host, const fabric& net)
      : g_(g), net_(net), host_(std::move(host)), load_(net.rate().size(), 0), inverse_(net.rate().size()) {
    const network_load start = load_of(g, host_, net);
    const double scale = start.hottest_time > 0 ? start.hottest_time : 1;
    for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = 1 / (net.rate()[i] * scale);
    volume_weight_ = start.volume > 0 ? 0.05 / start.volume : 0;
    for (int v = 0; v < g.size(); ++v) add(v, -1, +1);
    // Every edge has been added twice, once for each of its vertices.
    for (double& l : load_) l /= 2;
    sum_ = 0;
    for (std::size_t i = 0; i < load_.size(); ++i) sum_ += eighth_power(load_[i] * inverse_[i]) + volume_weight_ * load_[i];
  }
  void swap(int u, int v) {
    add(u, -1, -1);
    add(v, u, -1);
    std::swap(host_[at(u)], host_[at(v)]);
    add(v, u, +1);
    add(u, -1, +1);
  }
  double sum() const { return sum_; }
  void set_sum(double sum) { sum_ = sum; }  // after an undone swap, this function restores the exact value
  const std::vector<int>& host() const { return host_; }

 private:
  // Add or subtract the edges of v, without the edge to `other`.
  void add(int v, int other, double sign) {
    const auto to = g_.neighbours(v);
    const auto w = g_.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == other) continue;
      const int a = host_[at(v)], b = host_[at(to[i])];
      const double bytes = sign * static_cast<double>(w[i]);
      for (const int link : net_.route(a, b, buffer_)) add_to(at(link), bytes);
      for (const int link : net_.route(b, a, buffer_)) add_to(at(link), bytes);
    }
  }
  void add_to(std::size_t link, double bytes) {
    const double before = load_[link];
    load_[link] += bytes;
    sum_ += eighth_power(load_[link] * inverse_[link]) - eighth_power(before * inverse_[link]) + volume_weight_ * bytes;
  }
  const graph& g_;
  const fabric& net_;
  std::vector<int> host_, buffer_;
  std::vector<double> load_, inverse_;
  double volume_weight_ = 0, sum_ = 0;
};

}  // namespace

fabric::fabric(std::string name, int hosts, std::vector<double> rate, route_function route, name_function link_name)
    : name_(std::move(name)),
      hosts_(hosts),
      rate_(std::move(rate)),
      route_(std::move(route)),
      link_name_(std::move(link_name)) {
  if (hosts > most_hosts_of_a_table) return;
  begin_.push_back(0);
  for (int a = 0; a < hosts; ++a)
    for (int b = 0; b < hosts; ++b) {
      if (a != b) route_(a, b, links_);
      begin_.push_back(static_cast<std::uint32_t>(links_.size()));
    }
}

std::span<const int> fabric::route(int from, int to, std::vector<int>& buffer) const {
  if (from == to) return {};
  if (!begin_.empty()) {
    const std::size_t pair = at(from) * at(hosts_) + at(to);
    return {links_.data() + begin_[pair], begin_[pair + 1] - begin_[pair]};
  }
  buffer.clear();
  route_(from, to, buffer);
  return buffer;
}

fabric host_links_only(std::span<const double> rate, fabric::name_function link_name) {
  std::vector<double> links;
  for (const double r : rate) links.insert(links.end(), {r, r});
  return {"links of the hosts", static_cast<int>(rate.size()), std::move(links),
          [](int from, int to, std::vector<int>& route) {
            route.push_back(2 * from);
            route.push_back(2 * to + 1);
          },
          std::move(link_name)};
}

network_load load_of(const graph& g, std::span<const int> host, const fabric& net) {
  std::vector<double> load(net.rate().size(), 0);
  std::vector<int> buffer;
  network_load result;
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i)
      for (const int link : net.route(host[at(v)], host[at(to[i])], buffer)) {
        load[at(link)] += static_cast<double>(w[i]);
        result.volume += static_cast<double>(w[i]);
      }
  }
  for (std::size_t i = 0; i < load.size(); ++i) {
    const double time = load[i] / net.rate()[i];
    result.mean_time += time / static_cast<double>(load.size());
    if (time > result.hottest_time) result.hottest_time = time, result.hottest_link = static_cast<int>(i);
  }
  return result;
}

std::vector<float> distances(const fabric& net) {
  const int n = net.hosts();
  std::vector<float> result(at(n) * at(n), 0);
#pragma omp parallel
  {
    std::vector<int> buffer;
#pragma omp for schedule(static)
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {  // an exchange uses the routes in both directions, and these two routes may differ
        const std::size_t links = net.route(a, b, buffer).size() + net.route(b, a, buffer).size();
        result[at(a) * at(n) + at(b)] = static_cast<float>(links) / 2;
      }
  }
  return result;
}

network_load cool_links(const graph& g, std::span<const int> kind, std::vector<int>& host, const fabric& net,
                        std::int64_t proposals, std::uint64_t seed) {
  static const exponential_table exponential;
  constexpr int epochs = 64, patience = 12;
  network_load best = load_of(g, host, net);
  if (g.size() < 2 || best.hottest_time == 0) return best;
  moving_load state(g, host, net);
  random_source random(seed);
  const auto n = static_cast<std::uint32_t>(g.size());
  const double hot = 0.3 * state.sum() / n, cold = 1e-4 * state.sum() / n;
  double lowest = state.sum();
  const auto keep_best = [&] {
    if (const network_load now = load_of(g, state.host(), net); now.score() < best.score() * (1 - 1e-9)) {
      best = now;
      host = state.host();
    }
  };
  int in_vain = 0;
  for (int e = 0; e < epochs && in_vain < patience; ++e) {
    const double temperature = hot * std::pow(cold / hot, static_cast<double>(e) / (epochs - 1));
    bool moved = false;
    for (std::int64_t i = proposals / epochs; i > 0; --i) {
      const int u = static_cast<int>(random.below(n)), v = static_cast<int>(random.below(n));
      if (state.host()[at(u)] == state.host()[at(v)] || (!kind.empty() && kind[at(u)] != kind[at(v)])) continue;
      const double before = state.sum();
      state.swap(u, v);
      const double lost = state.sum() - before;
      if (lost > 0 && lost > temperature * static_cast<double>(exponential.draw(random.bits()))) {
        state.swap(u, v);
        state.set_sum(before);
      } else {
        moved = moved || lost != 0;
        if (n <= 1024 && state.sum() < lowest * (1 - 1e-6)) lowest = state.sum(), keep_best();
      }
    }
    in_vain = moved ? 0 : in_vain + 1;
    keep_best();
  }
  return best;
}

}  // namespace osteon::placement
