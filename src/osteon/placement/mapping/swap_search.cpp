#include <algorithm>
#include <numeric>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/swap_search.hpp>

namespace osteon::placement {

namespace {

struct unit_costs {
  float operator()(int a, int b) const { return a != b ? 1.0F : 0.0F; }
  int near(int part, random_source&) const { return part; }
};

class table_costs {
 public:
  explicit table_costs(const part_costs& costs)
      : of_(costs.of), parts_(static_cast<std::size_t>(costs.parts)), nearest_(std::min<std::size_t>(parts_, most)) {
    std::vector<int> order(parts_);
    near_.reserve(parts_ * nearest_);
    for (std::size_t p = 0; p < parts_; ++p) {
      std::iota(order.begin(), order.end(), 0);
      const float* row = of_ + p * parts_;
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(nearest_), order.end(),
                        [row](int a, int b) { return row[a] != row[b] ? row[a] < row[b] : a < b; });
      near_.insert(near_.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(nearest_));
    }
  }
  float operator()(int a, int b) const { return of_[static_cast<std::size_t>(a) * parts_ + static_cast<std::size_t>(b)]; }
  // Random part close to `part`. The result may be `part`.
  int near(int part, random_source& random) const {
    return near_[static_cast<std::size_t>(part) * nearest_ + random.below(static_cast<std::uint32_t>(nearest_))];
  }

 private:
  static constexpr std::size_t most = 16;
  const float* of_;
  std::size_t parts_, nearest_;
  std::vector<int> near_;
};

// Assignment of vertices to places. Vertices without edges represent free places. Their numbers follow the numbers of the
// graph's vertices.
template <class Costs>
class seating {
 public:
  seating(const graph& g, std::span<const int> capacity, std::span<const int> part, std::span<const int> kind, Costs costs)
      : costs_(std::move(costs)), kind_(kind), vertices_(static_cast<std::uint32_t>(g.size())), first_{0} {
    for (const int c : capacity) first_.push_back(first_.back() + static_cast<std::uint32_t>(c));
    const std::size_t places = first_.back();
    links_.reserve(g.to.size());
    std::int64_t most = 1;
    for (const std::int64_t w : g.weight) most = std::max(most, w);
    scale_ = static_cast<double>(most);
    for (std::size_t i = 0; i < g.to.size(); ++i)
      links_.push_back({static_cast<std::uint32_t>(g.to[i]), static_cast<float>(static_cast<double>(g.weight[i]) / scale_)});
    begin_.assign(places + 1, static_cast<std::uint32_t>(g.to.size()));
    for (std::size_t v = 0; v <= vertices_; ++v) begin_[v] = static_cast<std::uint32_t>(g.begin[v]);
    part_.resize(places);
    place_.resize(places);
    occupant_.resize(places);
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    std::uint32_t dummy = vertices_;
    const auto assign = [&](std::uint32_t v, std::size_t p) {
      part_[v] = static_cast<int>(p);
      place_[v] = next[p]++;
      occupant_[place_[v]] = v;
    };
    for (std::uint32_t v = 0; v < vertices_; ++v) assign(v, static_cast<std::size_t>(part[v]));
    for (std::size_t p = 0; p < capacity.size(); ++p)
      while (next[p] < first_[p + 1]) assign(dummy++, p);
  }

  // Change of the cost when u and v exchange their places. The vertices u and v must be in different parts.
  float delta(std::uint32_t u, std::uint32_t v) const {
    const int a = part_[u], b = part_[v];
    float d = 0, between = 0;
    for (std::uint32_t i = begin_[u]; i < begin_[u + 1]; ++i) {
      const auto [x, w] = links_[i];
      if (x == v) between = w;
      d += w * (costs_(b, part_[x]) - costs_(a, part_[x]));
    }
    for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
      const auto [x, w] = links_[i];
      d += w * (costs_(a, part_[x]) - costs_(b, part_[x]));
    }
    // Each of the two sums assumes that only one end of the edge between u and v moves. This correction applies to the edge
    // between u and v.
    return d + between * (2 * costs_(a, b) - costs_(a, a) - costs_(b, b));
  }

  void swap(std::uint32_t u, std::uint32_t v) {
    std::swap(part_[u], part_[v]);
    std::swap(place_[u], place_[v]);
    occupant_[place_[u]] = u;
    occupant_[place_[v]] = v;
  }

  // Draw a vertex u and a vertex v. The part of v contains a neighbour of u, or is close to the part of a neighbour of u. If
  // the draw is rejected, the function returns false.
  bool propose(random_source& random, std::uint32_t& u, std::uint32_t& v) const {
    u = random.below(vertices_);
    const std::uint32_t degree = begin_[u + 1] - begin_[u];
    if (degree == 0) return false;
    const std::uint64_t bits = random.bits();
    const std::uint32_t x = links_[begin_[u] + pick(bits, degree)].to;
    if (part_[x] == part_[u]) return false;
    if (bits & 1) {  // any vertex or free place in a part close to x
      const auto p = static_cast<std::size_t>(costs_.near(part_[x], random));
      v = occupant_[first_[p] + random.below(first_[p + 1] - first_[p])];
    } else {  // a neighbour of x, which is probably near the boundary of the part
      v = links_[begin_[x] + random.below(begin_[x + 1] - begin_[x])].to;
    }
    return part_[v] != part_[u] && may_trade(u, v);
  }

  // Exchange vertices with vertices in the parts of their neighbours, until no exchange reduces the cost.
  void descend() {
    for (bool improved = true; improved;) {
      improved = false;
      for (std::uint32_t u = 0; u < vertices_; ++u)
        for (std::uint32_t i = begin_[u]; i < begin_[u + 1]; ++i) {
          const auto p = static_cast<std::size_t>(part_[links_[i].to]);
          if (part_[u] == static_cast<int>(p)) continue;
          for (std::uint32_t s = first_[p]; s < first_[p + 1]; ++s)
            if (may_trade(u, occupant_[s]) && delta(u, occupant_[s]) < -tiny) {
              swap(u, occupant_[s]);
              improved = true;
              break;
            }
        }
    }
  }

  double cost() const {
    double sum = 0;
    for (std::uint32_t u = 0; u < vertices_; ++u)
      for (std::uint32_t i = begin_[u]; i < begin_[u + 1]; ++i)
        sum += static_cast<double>(links_[i].weight * costs_(part_[u], part_[links_[i].to]));
    return sum / 2;
  }
  // Mean weight of an edge times the mean cost of an edge between parts.
  double mean_edge() const {
    double weights = 0, costs = 0;
    std::size_t n = 0;
    for (std::uint32_t u = 0; u < vertices_; ++u)
      for (std::uint32_t i = begin_[u]; i < begin_[u + 1]; ++i) {
        weights += static_cast<double>(links_[i].weight);
        const float c = costs_(part_[u], part_[links_[i].to]);
        if (c > 0) costs += static_cast<double>(c), ++n;
      }
    return n ? weights / static_cast<double>(links_.size()) * costs / static_cast<double>(n) : 0;
  }
  std::span<const int> parts() const { return {part_.data(), vertices_}; }

  static constexpr float tiny = 1e-6F;

 private:
  struct link {
    std::uint32_t to;
    float weight;
  };
  static std::uint32_t pick(std::uint64_t bits, std::uint32_t n) {
    return static_cast<std::uint32_t>(((bits >> 32) * n) >> 32);
  }
  bool may_trade(std::uint32_t u, std::uint32_t v) const { return kind_.empty() || (v < vertices_ && kind_[u] == kind_[v]); }
  Costs costs_;
  std::span<const int> kind_;
  std::uint32_t vertices_;
  double scale_ = 1;
  std::vector<std::uint32_t> first_;  // first place of each part
  std::vector<link> links_;
  std::vector<std::uint32_t> begin_;
  std::vector<int> part_;
  std::vector<std::uint32_t> place_, occupant_;
};

template <class Costs>
void search(const graph& g, std::span<const int> capacity, std::vector<int>& part, Costs costs, const search_effort& effort,
            std::span<const int> kind) {
  static const exponential_table exponential;
  constexpr int epochs = 64, patience = 12;
  seating<Costs> state(g, capacity, part, kind, std::move(costs));
  double best = state.cost();
  const auto keep_best = [&] {
    if (const double now = state.cost(); now < best * (1 - 1e-9)) {
      best = now;
      std::copy_n(state.parts().begin(), part.size(), part.begin());
      return true;
    }
    return false;
  };
  if (effort.hot > 0 && effort.proposals > 0) {
    random_source random(effort.seed);
    const double mean = state.mean_edge();
    int in_vain = 0;
    for (int e = 0; e < epochs && in_vain < patience; ++e) {
      const double ratio = static_cast<double>(e) / (epochs - 1);
      const auto temperature = static_cast<float>(mean * effort.hot * std::pow(effort.cold / effort.hot, ratio));
      bool moved = false;
      for (std::int64_t i = effort.proposals / epochs; i > 0; --i) {
        std::uint32_t u, v;
        if (!state.propose(random, u, v)) continue;
        const float d = state.delta(u, v);
        if (d > 0 && d > temperature * exponential.draw(random.bits())) continue;
        state.swap(u, v);
        moved = moved || d < -seating<Costs>::tiny || d > seating<Costs>::tiny;
      }
      in_vain = moved ? 0 : in_vain + 1;
      keep_best();
    }
  }
  state.descend();
  keep_best();
}

}  // namespace

double cost_of(const graph& g, std::span<const int> part, const part_costs& costs) {
  double sum = 0;
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i)
      sum += static_cast<double>(w[i]) *
             costs.between(part[static_cast<std::size_t>(v)], part[static_cast<std::size_t>(to[i])]);
  }
  return sum / 2;
}

double swap_search(const graph& g, std::span<const int> capacity, std::vector<int>& part, const part_costs& costs,
                   const search_effort& effort, std::span<const int> kind) {
  if (g.size() > 1 && capacity.size() > 1) {
    if (costs.of)
      search(g, capacity, part, table_costs(costs), effort, kind);
    else
      search(g, capacity, part, unit_costs{}, effort, kind);
  }
  return cost_of(g, part, costs);
}

}  // namespace osteon::placement
