#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/placement/graph/graph.hpp>

namespace osteon::placement {

namespace {

// Store both directions of every edge by rows. Weights of parallel edges are added.
graph by_rows(int vertices, std::span<const edge> edges) {
  const auto n = static_cast<std::size_t>(vertices);
  std::vector<std::int64_t> place(n + 1, 0);
  for (const edge& e : edges)
    if (e.a != e.b) ++place[static_cast<std::size_t>(e.a) + 1], ++place[static_cast<std::size_t>(e.b) + 1];
  for (std::size_t v = 0; v < n; ++v) place[v + 1] += place[v];
  struct entry {
    std::int32_t to;
    std::int64_t weight;
  };
  std::vector<entry> entries(static_cast<std::size_t>(place[n]));
  const std::vector<std::int64_t> begin = place;
  for (const edge& e : edges)
    if (e.a != e.b) {
      entries[static_cast<std::size_t>(place[static_cast<std::size_t>(e.a)]++)] = {e.b, e.weight};
      entries[static_cast<std::size_t>(place[static_cast<std::size_t>(e.b)]++)] = {e.a, e.weight};
    }
  graph g;
  g.begin.reserve(n + 1);
  g.to.reserve(entries.size());
  g.weight.reserve(entries.size());
  for (std::size_t v = 0; v < n; ++v) {
    const auto first = entries.begin() + begin[v], last = entries.begin() + begin[v + 1];
    std::sort(first, last, [](const entry& a, const entry& b) { return a.to < b.to; });
    for (auto it = first; it != last; ++it) {
      if (static_cast<std::int64_t>(g.to.size()) > g.begin.back() && g.to.back() == it->to)
        g.weight.back() += it->weight;
      else
        g.to.push_back(it->to), g.weight.push_back(it->weight);
    }
    g.begin.push_back(static_cast<std::int64_t>(g.to.size()));
  }
  return g;
}

}  // namespace

graph from_edges(int vertices, std::span<const edge> edges) {
  std::int64_t sum = 0;
  for (const edge& e : edges) {
    if (e.a < 0 || e.b < 0 || e.a >= vertices || e.b >= vertices)
      throw data_error(fmt::format("edge {} - {}: vertices must be from 0 to {}", e.a, e.b, vertices - 1));
    if (e.weight < 0) throw data_error(fmt::format("edge {} - {}: weight {} must not be negative", e.a, e.b, e.weight));
    // Costs are sums of products of weights and small factors. With a limit of a quarter of the range, costs cannot
    // overflow.
    if (e.weight > std::numeric_limits<std::int64_t>::max() / 4 - sum)
      throw data_error(
          fmt::format("edge {} - {} with {} bytes: the sum of weights exceeds 2^61; use a larger unit", e.a, e.b, e.weight));
    sum += e.weight;
  }
  return by_rows(vertices, edges);
}

graph graph_of(const cartesian& grid) {
  const auto& n = grid.blocks;
  const auto& c = grid.cells;
  std::int64_t blocks = 1;
  double bytes = static_cast<double>(grid.bytes_per_cell);
  for (std::size_t d = 0; d < 3; ++d) {
    if (n[d] < 1 || c[d] < 1 || grid.bytes_per_cell < 1)
      throw usage_error(
          fmt::format("grid of {} x {} x {} blocks of {} x {} x {} cells of {} bytes: all values must be positive", n[2],
                      n[1], n[0], c[2], c[1], c[0], grid.bytes_per_cell));
    blocks *= n[d];
    bytes *= static_cast<double>(c[d]);
    if (blocks > 1 << 22)
      throw usage_error(fmt::format("grid of {} x {} x {} blocks: exceeds the limit of 2^22 blocks", n[2], n[1], n[0]));
  }
  if (bytes > 1e15)
    throw usage_error(fmt::format("blocks of {} x {} x {} cells of {} bytes: exceed the limit of 1e15 bytes", c[2], c[1],
                                  c[0], grid.bytes_per_cell));
  const std::array<std::int64_t, 3> face = {c[1] * c[2], c[0] * c[2], c[0] * c[1]};
  const std::array<int, 3> stride = {n[1] * n[2], n[2], 1};
  std::vector<edge> edges;
  edges.reserve(static_cast<std::size_t>(3 * blocks));
  for (int v = 0; v < static_cast<int>(blocks); ++v) {
    const std::array<int, 3> at = {v / stride[0], v / n[2] % n[1], v % n[2]};
    for (std::size_t d = 0; d < 3; ++d) {
      const bool is_last = at[d] + 1 == n[d];
      if (is_last && !(grid.periodic[d] && n[d] > 1)) continue;
      edges.push_back({v, is_last ? v - at[d] * stride[d] : v + stride[d], face[d] * grid.bytes_per_cell});
    }
  }
  return from_edges(static_cast<int>(blocks), edges);
}

std::int64_t cut(const graph& g, std::span<const int> part) {
  std::int64_t sum = 0;
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i)
      if (part[static_cast<std::size_t>(v)] != part[static_cast<std::size_t>(to[i])]) sum += w[i];
  }
  return sum / 2;
}

graph quotient(const graph& g, std::span<const int> part, int parts) {
  std::vector<edge> edges;
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const int a = part[static_cast<std::size_t>(v)], b = part[static_cast<std::size_t>(to[i])];
      if (v < to[i] && a != b) edges.push_back({a, b, w[i]});
    }
  }
  return by_rows(parts, edges);
}

graph induced(const graph& g, std::span<const int> vertices) {
  // Numbers are mapped by sorting in O(n log n) time. The cost is therefore independent of the size of the whole graph.
  std::vector<std::pair<int, int>> number;
  number.reserve(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) number.emplace_back(vertices[i], static_cast<int>(i));
  std::sort(number.begin(), number.end());
  std::vector<edge> edges;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto to = g.neighbours(vertices[i]);
    const auto w = g.weights(vertices[i]);
    for (std::size_t k = 0; k < to.size(); ++k) {
      if (to[k] <= vertices[i]) continue;
      const auto it = std::lower_bound(number.begin(), number.end(), std::pair(static_cast<int>(to[k]), 0));
      if (it != number.end() && it->first == to[k]) edges.push_back({static_cast<int>(i), it->second, w[k]});
    }
  }
  return by_rows(static_cast<int>(vertices.size()), edges);
}

}  // namespace osteon::placement
