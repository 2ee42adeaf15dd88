#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <osteon/comm/communicator.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <random>

namespace material_statistics_test {

using namespace osteon;

// Oracle: the sorted values of each material.
TEST(statistics_by_material, are_those_of_the_sorted_values_of_each) {
  std::mt19937 generator(4);
  std::lognormal_distribution<float> value(-2, 2);
  const int rank = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  std::map<int, std::vector<float>> first, second;
  std::vector<material_number> material;
  std::vector<float> own_first, own_second;
  for (int i = 0; i < 6000; ++i) {
    const int m = i % 100 == 3 ? 40000 : i == 77 ? 9 : 1 + static_cast<int>(generator() % 4) * 2;
    const float a = i % 50 == 0 ? 0.0F : value(generator), b = static_cast<float>(m);
    first[m].push_back(a);
    second[m].push_back(b);
    // The parts of ranks are uneven. If there are many ranks, the last rank has no values. Material 40000 is on one rank
    // only.
    const int share = m == 40000 ? 0 : i % 7 % std::max(size - 1, 1);
    if (share != rank) continue;
    material.push_back(static_cast<material_number>(m));
    own_first.push_back(a);
    own_second.push_back(b);
  }
  const auto found = numerics::statistics_by_material(MPI_COMM_WORLD, material, {own_first, own_second});
  ASSERT_EQ(found.size(), first.size());
  auto next = found.begin();
  for (auto& [m, values] : first) {
    std::sort(values.begin(), values.end());
    EXPECT_EQ(next->material, m);
    EXPECT_EQ(next->voxels, static_cast<std::int64_t>(values.size()));
    const auto at = [&, &sorted = values](double fraction) {
      return sorted[static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size()) - 1e-9)) - 1];
    };
    const numerics::field_statistics& s = next->fields[0];
    double sum = 0;
    for (float v : values) sum += v;
    EXPECT_NEAR(s.mean, sum / static_cast<double>(values.size()), 1e-12 * sum);
    EXPECT_EQ(s.median, at(0.5));
    EXPECT_EQ(s.p95, at(0.95));
    EXPECT_EQ(s.p98, at(0.98));
    EXPECT_EQ(s.p99, at(0.99));
    EXPECT_EQ(s.max, values.back());
    EXPECT_EQ(next->fields[1].median, m);
    EXPECT_EQ(next->fields[1].mean, m);
    ++next;
  }
}

TEST(statistics_by_material, of_nothing_are_none) {
  EXPECT_TRUE(numerics::statistics_by_material(MPI_COMM_WORLD, {}, {std::span<const float>()}).empty());
}

}  // namespace material_statistics_test
