#include <algorithm>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/placement/graph/random.hpp>
#include <osteon/placement/mapping/bisection.hpp>
#include <queue>

namespace osteon::placement {

namespace {

// A coarsened graph. Each vertex represents `size` vertices of the original graph.
struct weighted {
  graph g;
  std::vector<int> size;
};

// Allowed size of the first half.
struct bounds {
  int low, high;
  int missed_by(int n) const { return n < low ? low - n : n > high ? n - high : 0; }
};

using sides = std::vector<char>;

std::int64_t cut_of(const graph& g, const sides& side) {
  std::int64_t sum = 0;
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i)
      if (side[at(v)] != side[at(to[i])]) sum += w[i];
  }
  return sum / 2;
}

int first_half(const weighted& w, const sides& side) {
  int sum = 0;
  for (std::size_t v = 0; v < side.size(); ++v)
    if (side[v] == 0) sum += w.size[v];
  return sum;
}

// Contract heavy edges. `coarse` receives the index of each vertex in the result.
weighted coarsen(const weighted& fine, random_source& random, std::vector<int>& coarse, int largest) {
  const int n = fine.g.size();
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  coarse.assign(at(n), -1);
  weighted result;
  for (const int v : order) {
    if (coarse[at(v)] >= 0) continue;
    int mate = v;
    std::int64_t most = -1;
    const auto to = fine.g.neighbours(v);
    const auto w = fine.g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i)
      if (coarse[at(to[i])] < 0 && w[i] > most && fine.size[at(v)] + fine.size[at(to[i])] <= largest) {
        most = w[i];
        mate = to[i];
      }
    coarse[at(v)] = coarse[at(mate)] = static_cast<int>(result.size.size());
    result.size.push_back(mate == v ? fine.size[at(v)] : fine.size[at(v)] + fine.size[at(mate)]);
  }
  result.g = quotient(fine.g, coarse, static_cast<int>(result.size.size()));
  return result;
}

// Execute a sequence of moves, each with the highest remaining gain. Then undo the moves after the best state. The function
// returns true if the best state is better than the initial state.
bool pass_of_moves(const weighted& w, const bounds& limit, sides& side) {
  const graph& g = w.g;
  const int n = g.size();
  std::vector<std::int64_t> gain(at(n), 0);
  struct move {
    std::int64_t gain;
    int vertex;
    bool operator<(const move& other) const { return gain != other.gain ? gain < other.gain : vertex > other.vertex; }
  };
  std::priority_queue<move> moves[2];
  int largest = 1;
  for (int v = 0; v < n; ++v) {
    const auto to = g.neighbours(v);
    const auto weight = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i) gain[at(v)] += side[at(v)] != side[at(to[i])] ? weight[i] : -weight[i];
    moves[static_cast<std::size_t>(side[at(v)])].push({gain[at(v)], v});
    largest = std::max(largest, w.size[at(v)]);
  }
  std::vector<char> is_moved(at(n), 0);
  std::vector<int> done;
  int half = first_half(w, side);
  const auto top = [&](std::size_t s) -> const move* {
    auto& queue = moves[s];
    while (!queue.empty() && (is_moved[at(queue.top().vertex)] || queue.top().gain != gain[at(queue.top().vertex)]))
      queue.pop();
    return queue.empty() ? nullptr : &queue.top();
  };
  struct state {
    int missed;
    std::int64_t saved;
    bool operator<(const state& other) const { return missed != other.missed ? missed < other.missed : saved > other.saved; }
  };
  const state start{limit.missed_by(half), 0};
  state best = start;
  std::int64_t saved = 0;
  std::size_t best_length = 0;
  const std::size_t patience = 64 + at(n) / 16;
  while (done.size() - best_length < patience) {
    const move* from[2] = {top(0), top(1)};
    std::size_t s;
    // A half may temporarily exceed its limit by one vertex. Otherwise, exchanges would be impossible.
    const bool may_shrink = from[0] && half - w.size[at(from[0]->vertex)] >= limit.low - largest;
    const bool may_grow = from[1] && half + w.size[at(from[1]->vertex)] <= limit.high + largest;
    if (half > limit.high && from[0])
      s = 0;
    else if (half < limit.low && from[1])
      s = 1;
    else if (may_shrink && may_grow)
      s = from[0]->gain >= from[1]->gain ? 0 : 1;
    else if (may_shrink || may_grow)
      s = may_shrink ? 0 : 1;
    else
      break;
    const int v = from[s]->vertex;
    saved += from[s]->gain;
    half += s == 0 ? -w.size[at(v)] : w.size[at(v)];
    is_moved[at(v)] = 1;
    side[at(v)] = static_cast<char>(1 - side[at(v)]);
    done.push_back(v);
    const auto to = g.neighbours(v);
    const auto weight = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (is_moved[at(to[i])]) continue;
      gain[at(to[i])] += side[at(v)] == side[at(to[i])] ? -2 * weight[i] : 2 * weight[i];
      moves[static_cast<std::size_t>(side[at(to[i])])].push({gain[at(to[i])], to[i]});
    }
    if (const state now{limit.missed_by(half), saved}; now < best) {
      best = now;
      best_length = done.size();
    }
  }
  while (done.size() > best_length) {
    side[at(done.back())] = static_cast<char>(1 - side[at(done.back())]);
    done.pop_back();
  }
  return best < start;
}

void refine(const weighted& w, const bounds& limit, sides& side) {
  for (int pass = 0; pass < 10 && pass_of_moves(w, limit, side); ++pass) {
  }
}

// Grow the first half from a random vertex.
sides grow(const weighted& w, const bounds& limit, random_source& random) {
  const int n = w.g.size();
  sides side(at(n), 1);
  std::vector<std::int64_t> pull(at(n), 0);
  std::priority_queue<std::pair<std::int64_t, int>> front;
  int half = 0;
  const int wanted = (limit.low + limit.high) / 2;
  while (half < wanted) {
    int v = -1;
    while (!front.empty() && v < 0) {
      const auto [p, candidate] = front.top();
      front.pop();
      if (side[at(candidate)] == 1 && pull[at(candidate)] == p) v = candidate;
    }
    if (v < 0) {  // start the growth, or continue in another component
      v = static_cast<int>(random.below(static_cast<std::uint32_t>(n)));
      while (side[at(v)] == 0) v = (v + 1) % n;
    }
    side[at(v)] = 0;
    half += w.size[at(v)];
    const auto to = w.g.neighbours(v);
    const auto weight = w.g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i)
      if (side[at(to[i])] == 1) front.push({pull[at(to[i])] += weight[i], to[i]});
  }
  return side;
}

sides best_of_some(const weighted& w, const bounds& limit, random_source& random) {
  sides best;
  std::pair<int, std::int64_t> fewest{};
  for (int i = 0; i < 8; ++i) {
    sides side = grow(w, limit, random);
    refine(w, limit, side);
    const std::pair rating(limit.missed_by(first_half(w, side)), cut_of(w.g, side));
    if (i == 0 || rating < fewest) best = std::move(side), fewest = rating;
  }
  return best;
}

sides bisect(const weighted& w, const bounds& limit, random_source& random) {
  constexpr int coarse_enough = 80;
  if (w.g.size() > coarse_enough) {
    std::vector<int> coarse;
    const int all = std::accumulate(w.size.begin(), w.size.end(), 0);
    const weighted next = coarsen(w, random, coarse, std::max(2, all / 20));
    if (next.g.size() < w.g.size() - w.g.size() / 10) {
      const sides above = bisect(next, limit, random);
      sides side(at(w.g.size()));
      for (std::size_t v = 0; v < side.size(); ++v) side[v] = above[at(coarse[v])];
      refine(w, limit, side);
      return side;
    }
  }
  return best_of_some(w, limit, random);
}

void split(const graph& g, std::span<const int> vertices, std::span<const int> capacity, int first_part,
           random_source& random, std::vector<int>& part) {
  if (capacity.size() == 1 || vertices.empty()) {
    for (const int v : vertices) part[at(v)] = first_part;
    return;
  }
  const std::size_t middle = capacity.size() / 2;
  const int left = std::accumulate(capacity.begin(), capacity.begin() + static_cast<std::ptrdiff_t>(middle), 0);
  const int right = std::accumulate(capacity.begin() + static_cast<std::ptrdiff_t>(middle), capacity.end(), 0);
  const int n = static_cast<int>(vertices.size());
  const bounds limit{std::max(0, n - right), std::min(n, left)};
  const weighted w{induced(g, vertices), std::vector<int>(vertices.size(), 1)};
  const sides side =
      limit.low == 0 && limit.high == n && left > right ? sides(vertices.size(), 0) : bisect(w, limit, random);
  std::vector<int> half[2];
  for (std::size_t i = 0; i < vertices.size(); ++i) half[static_cast<std::size_t>(side[i])].push_back(vertices[i]);
  split(g, half[0], capacity.first(middle), first_part, random, part);
  split(g, half[1], capacity.subspan(middle), first_part + static_cast<int>(middle), random, part);
}

}  // namespace

std::vector<int> recursive_bisection(const graph& g, std::span<const int> capacity, std::uint64_t seed) {
  std::vector<int> part(at(g.size()), 0), vertices(at(g.size()));
  std::iota(vertices.begin(), vertices.end(), 0);
  random_source random(seed);
  split(g, vertices, capacity, 0, random, part);
  return part;
}

}  // namespace osteon::placement
