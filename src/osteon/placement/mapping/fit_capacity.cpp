#include <limits>
#include <osteon/placement/mapping/grouping.hpp>

namespace osteon::placement {

int fit_capacity(const graph& g, std::span<const int> capacity, std::vector<int>& part) {
  const std::size_t parts = capacity.size();
  std::vector<int> count(parts, 0);
  for (const int p : part) ++count[static_cast<std::size_t>(p)];
  std::vector<std::int64_t> pull(parts, 0);  // weight between the current vertex and each part
  int moves = 0;
  for (;;) {
    std::vector<int> free_parts;
    bool overfull = false;
    for (std::size_t p = 0; p < parts; ++p) {
      if (count[p] < capacity[p]) free_parts.push_back(static_cast<int>(p));
      overfull = overfull || count[p] > capacity[p];
    }
    if (!overfull) return moves;
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    int vertex = -1, target = -1;
    for (int v = 0; v < g.size(); ++v) {
      const auto from = static_cast<std::size_t>(part[static_cast<std::size_t>(v)]);
      if (count[from] <= capacity[from]) continue;
      const auto to = g.neighbours(v);
      const auto w = g.weights(v);
      const auto part_of = [&](std::size_t i) { return static_cast<std::size_t>(part[static_cast<std::size_t>(to[i])]); };
      for (std::size_t i = 0; i < to.size(); ++i) pull[part_of(i)] += w[i];
      for (const int p : free_parts)
        if (const std::int64_t gain = pull[static_cast<std::size_t>(p)] - pull[from]; gain > best)
          best = gain, vertex = v, target = p;
      for (std::size_t i = 0; i < to.size(); ++i) pull[part_of(i)] = 0;
    }
    --count[static_cast<std::size_t>(part[static_cast<std::size_t>(vertex)])];
    ++count[static_cast<std::size_t>(target)];
    part[static_cast<std::size_t>(vertex)] = target;
    ++moves;
  }
}

}  // namespace osteon::placement
