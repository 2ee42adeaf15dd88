#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <osteon/base/error.hpp>
#include <osteon/placement/mapping/bisection.hpp>
#include <osteon/placement/mapping/grouping.hpp>
#include <osteon/placement/mapping/scotch_start.hpp>
#include <osteon/placement/mapping/swap_search.hpp>

namespace osteon::placement {

namespace {

// Initial state and temperatures of a search.
struct attempt {
  grouping state;
  double hot = 0, cold = 0;
  std::uint64_t seed = 0;
};

// Run all attempts in parallel. Each attempt depends only on a seed of its own.
void run(std::vector<attempt>& attempts, const graph& g, std::span<const int> capacity, std::int64_t proposals_each) {
  const auto n = static_cast<std::ptrdiff_t>(attempts.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    attempt& a = attempts[static_cast<std::size_t>(i)];
    swap_search(g, capacity, a.state.part, {}, {a.seed, proposals_each, a.hot, a.cold});
    a.state.cut = cut(g, a.state.part);
  }
}

const grouping& fewest_cut(const std::vector<attempt>& attempts) {
  return std::min_element(attempts.begin(), attempts.end(),
                          [](const attempt& a, const attempt& b) { return a.state.cut < b.state.cut; })
      ->state;
}

std::vector<grouping> bisections(const graph& g, std::span<const int> capacity, int count, std::uint64_t seed) {
  std::vector<grouping> result(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < count; ++i) {
    grouping& now = result[static_cast<std::size_t>(i)];
    now = {recursive_bisection(g, capacity, seed * 1000 + static_cast<std::uint64_t>(i)), 0, "bisection"};
    now.cut = cut(g, now.part);
  }
  return result;
}

}  // namespace

std::vector<int> in_order(int vertices, std::span<const int> capacity) {
  std::vector<int> part(static_cast<std::size_t>(vertices));
  std::size_t p = 0;
  int left = capacity.empty() ? 0 : capacity[0];
  for (int& v : part) {
    while (left == 0) left = capacity[++p];
    v = static_cast<int>(p);
    --left;
  }
  return part;
}

grouping group(const graph& g, std::span<const int> capacity, const grouping_options& options) {
  std::int64_t places = 0;
  for (const int c : capacity) {
    if (c < 0) throw usage_error(fmt::format("the capacity of a part ({}) must not be negative", c));
    places += c;
  }
  if (places < g.size())
    throw usage_error(fmt::format("{} subdomains exceed {} places; use fewer ranks or more hosts", g.size(), places));
  const int n = g.size();
  grouping input{in_order(n, capacity), 0, "input order"};
  input.cut = cut(g, input.part);
  if (input.cut == 0 || capacity.size() < 2) return input;

  std::vector<grouping> starts;
  bool bricks_fit = false;
  if (options.grid) {
    brick_groups bricks = best_bricks(*options.grid, g, capacity);
    bricks_fit = bricks.fits;
    starts.push_back({std::move(bricks.part), bricks.cut, bricks.name()});
  }
  constexpr int small = 4096;
  // In all measurements with fitting bricks, bricks were the best partition. For exceptions, one bisection and a short
  // search are therefore sufficient.
  for (grouping& b : bisections(g, capacity, bricks_fit ? 1 : n <= small ? 12 : 2, options.seed))
    starts.push_back(std::move(b));
  if (options.use_scotch && n <= small && !bricks_fit)
    for (std::uint64_t i = 0; i < 4; ++i)
      if (auto part = scotch_partition(g, capacity, options.seed + i)) {
        const std::int64_t c = cut(g, *part);
        starts.push_back({std::move(*part), c, "Scotch"});
      }
  std::stable_sort(starts.begin(), starts.end(), [](const grouping& a, const grouping& b) { return a.cut < b.cut; });
  const grouping& first = starts.front();

  const std::uint64_t seed = options.seed << 8;
  std::vector<attempt> attempts;
  std::int64_t proposals = std::min(options.proposals, std::int64_t{100'000} * n);
  if (bricks_fit) {
    attempts = {{first, 0.3, 0.1, seed}, {input, 0, 0, seed}};
    proposals = std::min<std::int64_t>(proposals, 100'000);
  } else {
    // In measurements, a few long searches gave better results than many short searches. Other temperatures had no effect.
    const grouping& second = starts[std::min<std::size_t>(1, starts.size() - 1)];
    attempts = {
        {first, 0.7, 0.2, seed}, {second, 0.7, 0.3, seed + 1}, {first, 1.0, 0.2, seed + 2}, {input, 0.8, 0.25, seed + 3}};
    // The cost of a proposal is proportional to the degree of a vertex. The maximum number of proposals is for a degree of
    // six, as in a grid. For larger degrees, the number is reduced.
    proposals =
        static_cast<std::int64_t>(static_cast<double>(proposals) * std::min(1.0, 3.0 * n / static_cast<double>(g.edges())));
  }
  run(attempts, g, capacity, proposals / static_cast<std::int64_t>(attempts.size()));
  const grouping& best = fewest_cut(attempts);
  return best.cut < input.cut ? best : input;
}

}  // namespace osteon::placement
