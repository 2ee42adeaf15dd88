#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <osteon/net/costs/fair_sharing.hpp>
#include <random>

namespace fair_sharing_test {

using osteon::net::fair_sharing;

// The rates of all flows increase at an equal speed, like water that rises. At a full link, the rates of its flows stop.
std::vector<double> water_filling(const std::vector<double>& capacity, const std::vector<std::vector<int>>& paths) {
  std::vector<double> rate(paths.size(), 0), left = capacity;
  std::vector<bool> open(paths.size(), true);
  for (std::size_t still = paths.size(); still > 0;) {
    std::vector<int> users(capacity.size(), 0);
    for (std::size_t f = 0; f < paths.size(); ++f)
      if (open[f])
        for (const int l : paths[f]) ++users[static_cast<std::size_t>(l)];
    double rise = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < capacity.size(); ++l)
      if (users[l] > 0) rise = std::min(rise, left[l] / users[l]);
    for (std::size_t l = 0; l < capacity.size(); ++l) left[l] -= rise * users[l];
    for (std::size_t f = 0; f < paths.size(); ++f) {
      if (!open[f]) continue;
      rate[f] += rise;
      if (std::any_of(paths[f].begin(), paths[f].end(), [&](int l) {
            return left[static_cast<std::size_t>(l)] <= 1e-12 * capacity[static_cast<std::size_t>(l)];
          })) {
        open[f] = false;
        --still;
      }
    }
  }
  return rate;
}

// Oracle: computed by hand. Two flows share a link of 10. Another link limits one flow to 3, so that the other flow has 7.
TEST(fair_sharing, of_two_flows_one_of_which_is_limited) {
  fair_sharing shares({10, 3});
  const int a = shares.add(std::vector{0}), b = shares.add(std::vector{0, 1});
  EXPECT_EQ(shares.update().size(), 2u);
  EXPECT_DOUBLE_EQ(shares.rate(a), 7);
  EXPECT_DOUBLE_EQ(shares.rate(b), 3);
  shares.remove(a);
  EXPECT_EQ(shares.update().size(), 0u);
  EXPECT_DOUBLE_EQ(shares.rate(b), 3);
  const int c = shares.add(std::vector{1});
  EXPECT_EQ(shares.update().size(), 2u);
  EXPECT_DOUBLE_EQ(shares.rate(b), 1.5);
  EXPECT_DOUBLE_EQ(shares.rate(c), 1.5);
}

// Oracle: computed by hand. In a chain of links, each link has one flow of its own and the flow over all links. If the long
// flow ends, each other flow uses its whole link.
TEST(fair_sharing, of_a_long_flow_beside_short_ones) {
  fair_sharing shares({12, 8, 20});
  const int whole = shares.add(std::vector{0, 1, 2}), a = shares.add(std::vector{0}), b = shares.add(std::vector{1}),
            c = shares.add(std::vector{2}), d = shares.add(std::vector{2});
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(whole), 4);
  EXPECT_DOUBLE_EQ(shares.rate(a), 8);
  EXPECT_DOUBLE_EQ(shares.rate(b), 4);
  EXPECT_DOUBLE_EQ(shares.rate(c), 8);
  shares.remove(whole);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 12);
  EXPECT_DOUBLE_EQ(shares.rate(b), 8);
  EXPECT_DOUBLE_EQ(shares.rate(d), 10);
  // A link that occurs twice in a route is used twice.
  fair_sharing twice({10});
  const int e = twice.add(std::vector{0, 0});
  twice.update();
  EXPECT_DOUBLE_EQ(twice.rate(e), 5);
}

// Oracle: plain water filling from the beginning, after every change. Rates that are not reported have not changed.
TEST(fair_sharing, stays_the_same_as_water_filling) {
  std::mt19937 random(11);
  const auto upto = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::vector<double> capacity(3 + upto(30));
    for (double& c : capacity) c = 1 + static_cast<double>(upto(repeat % 2 == 0 ? 5 : 1000));
    fair_sharing shares(capacity);
    std::vector<std::vector<int>> paths;
    std::vector<int> flows;
    std::vector<double> known;
    for (int change = 0; change < 60; ++change) {
      for (std::size_t k = 1 + upto(4); k > 0; --k) {
        if (!flows.empty() && upto(5) < 2) {
          const auto gone = static_cast<std::ptrdiff_t>(upto(flows.size()));
          shares.remove(flows[static_cast<std::size_t>(gone)]);
          flows.erase(flows.begin() + gone);
          paths.erase(paths.begin() + gone);
        } else {
          std::vector<int> path;
          for (std::size_t h = 1 + upto(5); h > 0; --h) path.push_back(static_cast<int>(upto(capacity.size())));
          if (upto(4) > 0) {
            std::sort(path.begin(), path.end());
            path.erase(std::unique(path.begin(), path.end()), path.end());
          }
          flows.push_back(shares.add(path));
          paths.push_back(path);
        }
      }
      for (const int f : shares.update()) {
        if (known.size() <= static_cast<std::size_t>(f)) known.resize(static_cast<std::size_t>(f) + 1);
        known[static_cast<std::size_t>(f)] = shares.rate(f);
      }
      const auto expected = water_filling(capacity, paths);
      for (std::size_t i = 0; i < flows.size(); ++i) {
        ASSERT_NEAR(shares.rate(flows[i]), expected[i], 1e-9 * expected[i]) << repeat << " " << change;
        ASSERT_NEAR(known[static_cast<std::size_t>(flows[i])], expected[i], 1e-9 * expected[i]);
      }
    }
  }
}

}  // namespace fair_sharing_test
